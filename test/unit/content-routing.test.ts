import { describe, expect, it } from 'vitest';
import { matchesGlob } from '../../src/domain/content-routing/glob.ts';
import { takeHints } from '../../src/domain/content-routing/hints.ts';
import { chosenSpaces, choiceInput, spacesForModel } from '../../src/domain/content-routing/model-choice.ts';
import { presetRules } from '../../src/domain/content-routing/preset-rules.ts';
import {
  contentRoutingSchema,
  domainOf,
  matchingRules,
  type ContentRule,
  type RoutedContent,
} from '../../src/domain/content-routing/rules.ts';
import { subjectsOf } from '../../src/domain/content-routing/subjects.ts';
import { agreedSpaces } from '../../src/domain/content-routing/votes.ts';
import { spacePresets } from '../../src/domain/spaces/presets.ts';
import { spaceConfigSchema, type SpacePreset } from '../../src/domain/spaces/space-config.ts';
import { noSpaces, type Spaces } from '../../src/domain/spaces/spaces.ts';

const holds = (when: ContentRule['when'], content: Partial<RoutedContent>): boolean =>
  matchingRules([{ when }], { text: '', ...content }).length === 1;

/** Spaces that were made from presets, by id. */
function spacesFrom(presets: Readonly<Record<string, SpacePreset>>): Spaces {
  const configured = Object.entries(presets).map(([id, preset]) => {
    const config = spaceConfigSchema.parse({ ...spacePresets[preset], preset });
    return [id, { id, config, revision: 0, updatedAt: '2026-01-01T00:00:00.000Z' }] as const;
  });
  return { ...noSpaces, configured: new Map(configured) };
}

describe('[H2] rules of content routing', () => {
  it.each<[string, ContentRule['when'], Partial<RoutedContent>, boolean]>([
    ['a source, whatever its case', { source: 'user_cli' }, { source: 'User_CLI' }, true],
    ['a source by its beginning', { source: 'arxiv_*' }, { source: 'arxiv_cs_lg' }, true],
    ['no part of a source', { source: 'user' }, { source: 'user_cli' }, false],
    ['one of several', { source: ['editor', 'git'] }, { source: 'git' }, true],
    ['nothing where the source is unknown', { source: '*' }, {}, false],
    ['a domain', { sourceDomain: 'example.com' }, { sourceDomain: 'example.com' }, true],
    ['its subdomains', { sourceDomain: 'example.com' }, { sourceDomain: 'docs.example.com' }, true],
    [
      'the domain of an address',
      { sourceDomain: 'example.com' },
      { sourceDomain: 'https://EXAMPLE.com:8443/a?b' },
      true,
    ],
    ['no domain that ends alike', { sourceDomain: 'example.com' }, { sourceDomain: 'notexample.com' }, false],
    ['no parent of a domain', { sourceDomain: 'docs.example.com' }, { sourceDomain: 'example.com' }, false],
    ['a type', { contentType: 'Code' }, { contentType: 'code' }, true],
    ['a word', { contains: 'salesforce' }, { text: 'How Salesforce’s sandbox works' }, true],
    ['a word of the title', { contains: 'invoice' }, { title: 'Invoice 7', text: 'to pay' }, true],
    ['no part of a word', { contains: 'force' }, { text: 'Salesforce' }, false],
    ['a phrase across a line', { contains: 'credit note' }, { text: 'the Credit\n  Note of May' }, true],
    ['a word with punctuation of its own', { contains: 'c++' }, { text: 'written in C++.' }, true],
    ['a word in a script without spaces', { contains: '請求書' }, { text: '今月の請求書を送りました' }, true],
    [
      'all conditions together',
      { source: 'feed', contains: 'flow' },
      { source: 'feed', text: 'a flow' },
      true,
    ],
    [
      'not one of them alone',
      { source: 'feed', contains: 'flow' },
      { source: 'feed', text: 'a flaw' },
      false,
    ],
  ])('hold for %s', (_, when, content, expected) => {
    expect(holds(when, content)).toBe(expected);
  });

  it.each<[string, string, boolean]>([
    ['src/deep/a.ts', '*.ts', true],
    ['C:\\work\\notes.MD', '*.md', true],
    ['src/deep/a.ts', 'src/*.ts', false],
    ['src/deep/a.ts', 'src/**/*.ts', true],
    ['src/a.ts', 'src/**/*.ts', true],
    ['/srv/docs/2026/plan.pdf', '**/docs/**', true],
    ['docs/plan.pdf', '**/docs/**', true],
    ['mydocs/plan.pdf', '**/docs/**', false],
    ['plan-7.pdf', 'plan-?.pdf', true],
    ['plan-17.pdf', 'plan-?.pdf', false],
  ])('take %s by %s: %s', (path, pattern, expected) => {
    expect(matchesGlob(path, pattern)).toBe(expected);
  });

  it('compare hostile patterns in bounded time', () => {
    const started = performance.now();
    expect(matchesGlob(`${'a'.repeat(4_000)}`, `${'*a'.repeat(120)}b`)).toBe(false);
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  it('all count together, in their order', () => {
    const rules = [{ when: { source: 'cli' } }, { when: { source: 'web' } }, { when: { contains: 'flow' } }];
    expect(matchingRules(rules, { text: 'a flow', source: 'cli' })).toEqual([0, 2]);
  });

  it('need a condition and a space, and know no other fields', () => {
    const parse = (routing: unknown) => contentRoutingSchema.safeParse(routing).success;
    expect(parse({ rules: [] })).toBe(true);
    expect(parse({ rules: [{ when: {}, spaces: ['a'] }] })).toBe(false);
    expect(parse({ rules: [{ when: { source: 'a' }, spaces: [] }] })).toBe(false);
    expect(parse({ rules: [{ when: { sender: 'a' }, spaces: ['a'] }] })).toBe(false);
    expect(contentRoutingSchema.parse({ rules: [], fallback: 'inbox' }).fallback).toEqual(['inbox']);
  });

  it('find the domain of an address', () => {
    expect(domainOf('https://user@Sub.Example.com./x')).toBe('sub.example.com');
    expect(domainOf('not a domain')).toBeUndefined();
  });

  it('come with the presets of the spaces, under the names of the spaces', () => {
    const rules = presetRules(spacesFrom({ papers: 'research', sf: 'salesforce' }));
    const spacesOf = (content: Partial<RoutedContent>) =>
      matchingRules(rules, { text: '', ...content }).flatMap((index) => rules[index]!.spaces);
    expect(spacesOf({ source: 'arxiv_cs_ai' })).toEqual(['papers']);
    expect(spacesOf({ sourceDomain: 'help.salesforce.com' })).toEqual(['sf']);
    expect(spacesOf({ contentType: 'guide', text: 'Sandboxes in Salesforce' })).toEqual(['sf']);
    expect(spacesOf({ contentType: 'guide', text: 'How to bake bread' })).toEqual([]);
    expect(spacesOf({ source: 'user_cli' })).toEqual([]);
    expect(presetRules(noSpaces)).toEqual([]);
  });
});

describe('[H2] what a text is about', () => {
  const spaces = spacesFrom({ dev: 'dev_copilot', sf: 'salesforce', papers: 'research' });
  it.each([
    ['The pod restarts: kubectl shows an OOM, the traceback ends in the parser', ['dev']],
    ['A roll-up summary needs a master-detail relationship on the custom object', ['sf']],
    ['Our ablation shows that the learning rate matters more than the data', ['papers']],
    ['A GitHub action runs the Apex tests of the scratch org after each commit', ['sf', 'dev']],
    ['The bakery closes at noon on Sundays', []],
    ['Ein Leitfaden für neue Mitglieder des Rudervereins', []],
  ])('%s: %j', (text, expected) => {
    expect(subjectsOf(spaces, { text }).map(({ space }) => space)).toEqual(expected);
  });

  it('counts for spaces made from a preset alone', () => {
    expect(subjectsOf(spacesFrom({ papers: 'research' }), { text: 'docker and git' })).toEqual([]);
    expect(subjectsOf(noSpaces, { text: 'docker and git' })).toEqual([]);
  });
});

describe('[H2] spaces that near memories agree on', () => {
  const near = (relevance: number, ...spaces: string[]) => ({ relevance, spaces });
  it('are sure if all that are nearly as near have them', () => {
    expect(agreedSpaces([near(0.6, 'a'), near(0.4, 'a', 'b'), near(0.05, 'b')])).toEqual(['a']);
  });
  it.each([
    ['nothing is near', [near(0.05, 'a')]],
    ['nothing is there', []],
    ['another space is nearly as near', [near(0.6, 'a'), near(0.5, 'b')]],
    ['a memory without a space is nearly as near', [near(0.6, 'a'), near(0.5)]],
  ])('are unsure if %s', (_, found) => {
    expect(agreedSpaces(found)).toBeUndefined();
  });
});

describe('[H2] hints in a question', () => {
  const known = ['research', 'Dev', 'my space'];
  it.each([
    ['papers on limits --space research', 'papers on limits', ['research']],
    ['space:dev limits of queues', 'limits of queues', ['Dev']],
    ['limits --space=dev, and why?', 'limits , and why?', ['Dev']],
    ['what is in space:"my space" about ports', 'what is in about ports', ['my space']],
    ['both --space research --space dev', 'both', ['research', 'Dev']],
    ['space:research', 'space:research', ['research']],
    ['which options has --space unknown', 'which options has --space unknown', []],
    ['workspace:research is a word', 'workspace:research is a word', []],
    ['limits in space:research?', 'limits in', ['research']],
  ])('%s', (query, rest, spaces) => {
    expect(takeHints(query, known)).toEqual({ query: rest, spaces });
  });
});

describe('[H2] spaces that a language model chooses', () => {
  const spaces = spacesFrom({ dev: 'dev_copilot', sf: 'salesforce', papers: 'research' });
  it('are those whose strategy asks for one, and no others', () => {
    const offered = spacesForModel(spaces);
    expect(offered.map(({ id }) => id)).toEqual(['sf', 'papers']);
    expect(chosenSpaces(offered, { spaces: [2, 2, 0, 7, -1] })).toEqual(['papers']);
    const input = JSON.stringify(choiceInput(offered, { text: 'x'.repeat(100_000), title: 'A title' }));
    expect(input.length).toBeLessThan(10_000);
    expect(input).toContain('"title":"A title"');
  });
});
