import { describe, expect, it } from 'vitest';
import { sectionQuality } from '../../src/domain/documents/quality.ts';
import type { Section } from '../../src/domain/documents/sections.ts';

const of = (content: string, fields: Partial<Section> = {}) =>
  sectionQuality(content, { path: [], start: 0, end: content.length, kind: 'text', ...fields });

describe('the quality of a section', () => {
  it.each([
    'Call Ada.',
    'The motion to allow trampolines was lost with 5 to 9. The motion to buy a second wheelbarrow passed with all votes.',
    '水は軟水が向いています。硬水を使うと白い湯あかが早くつきますが、湯あかは味をやわらげるので取り除きません。',
    'पंप अप्रैल में बदला जाएगा। तब तक शाम को ही पानी दिया जा सकता है।',
    '- [ ] order syrup\n- [x] mend the fence\n- see [[Hive inspection]] and [[Varroa count|the count]]',
    'The privacy policy was changed in May: search logs are deleted after 30 days, and cookies after one.',
    'Read the [escalation rules](https://wiki.example.org/escalation) before you wake anybody.',
    'Energy: E = m · c², with m in kg and c = 299 792 458 m/s; for x ≥ 0 it holds that √x ≤ x + 1.',
  ])('is high for short and honest text: %s', (content) => {
    expect(of(content)).toBeGreaterThan(0.7);
  });

  it.each([
    ['a repeated line', 'lorem ipsum dolor sit amet consectetur\n'.repeat(60)],
    ['two repeated lines', 'sed do eiusmod tempor\nlorem ipsum dolor\nlorem ipsum dolor\n'.repeat(30)],
    [
      'few words in changing order',
      Array.from({ length: 900 }, (_, n) => ['buy', 'now', 'cheap', 'best'][(n * n + (n >> 2)) % 4]).join(
        ' ',
      ),
    ],
    ['navigation', 'Home · About · Products · Jobs · Contact · Log in'],
    ['navigation without marks', 'Home About us Products Jobs Contact Log in'],
    ['navigation of links', '[Boats](/boats) [Lights](/lights) [Islands](/islands) [Shop](/shop)'],
    ['a list of bare addresses', 'https://example.org/a https://example.org/b\nhttps://example.org/c'],
    [
      'a footer',
      '© 2026 All rights reserved. Terms of use · Privacy policy · Cookie policy · Sitemap · Imprint\n\nBack to top',
    ],
    [
      'a cookie banner',
      'This site uses cookies. By continuing you agree to our use of cookies. Accept · Reject · Settings',
    ],
    ['a German footer', 'Impressum | Datenschutz | Kontakt | Nach oben'],
    ['rules and ornaments', '=====================\n*** ~~~ *** ~~~ x ***\n====================='],
    ['pictographs', '🎉🎉🎉🔥🔥🔥 ok 👍👍👍👍'],
    ['encoded data', `x ${'aGVsbG8gd29ybGQ'.repeat(40)}`],
    ['no words at all', '— — —'],
  ])('is below 0.2 for %s', (_, content) => {
    expect(of(content)).toBeLessThan(0.2);
  });

  it('is below 0.2 for what the reader took for boilerplate', () => {
    expect(of('An honest sentence about pumps.', { isBoilerplate: true })).toBeLessThan(0.2);
  });

  it('is not lowered by the repetitions and symbols of code and tables', () => {
    expect(of('{\n  a: [],\n  b: [],\n}\n'.repeat(20), { kind: 'code' })).toBe(1);
    expect(of('| a | b |\n|---|---|\n| 0 | 0 |\n| 0 | 0 |', { kind: 'table' })).toBe(1);
    expect(of(`Run this:\n\n\`\`\`sh\n${'ls -la | wc -l\n'.repeat(40)}\`\`\``)).toBe(1);
  });

  it('does not depend on the headings above', () => {
    const body = 'The pump is new.';
    expect(of(`Home › Log in\n\n${body}`, { path: ['Home', 'Log in'] })).toBe(of(body));
  });
});
