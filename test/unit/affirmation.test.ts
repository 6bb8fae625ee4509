import { describe, expect, it } from 'vitest';
import {
  affirmationsAfter,
  compareTelling,
  decideAffirmation,
  detailedToldKey,
  lastToldAt,
  toldForm,
  toldKey,
  type Telling,
} from '../../src/domain/memory/affirmation.ts';

const fact: Telling = {
  content: 'Momo is the office dog',
  layer: 'team',
  scope: { team: 'office' },
  spaces: [],
  tags: [],
  metadata: {},
  representations: {},
};

describe('the form of a text that is told again', () => {
  it.each([
    ['Momo is the office dog.', 'Momo is the office dog'],
    ['  momo  IS the\toffice\ndog ', 'Momo is the office dog'],
    ['Cafe\u0301 Momo', 'Café Momo'],
    ['犬はモモです。', '犬はモモです'],
    ['two lines\r\nof one paragraph', 'two lines of one paragraph'],
  ])('[A20] is the same for %j and %j', (told, first) => {
    expect(toldForm(told)).toBe(toldForm(first));
  });

  it.each([
    ['Momo is the office dog!', 'Momo is the office dog?'],
    ['The office dog is Momo', 'Momo is the office dog'],
    ['Café Momo', 'Cafe Momo'],
    ['The Wi-Fi password is hunter2', 'The Wi-Fi password is Hunter2'],
    ['call storeOnce()', 'call storeonce()'],
    ['if a:\n  b\nc', 'if a:\n  b\n  c'],
    ['It costs 1 000', 'It costs 1000'],
  ])('[A20] differs between %j and %j', (told, first) => {
    expect(toldForm(told)).not.toBe(toldForm(first));
  });

  it('[A20] is its own form, and takes time linear in the text', () => {
    for (const text of [' Momo \n  is. '.repeat(80_000), `a${' '.repeat(900_000)}b`, 'a\n'.repeat(400_000)]) {
      const form = toldForm(text);
      expect(toldForm(form)).toBe(form);
    }
  });
});

describe('two tellings', () => {
  it('[A20] have one key if text, layer and the whole scope agree', () => {
    expect(toldKey({ ...fact, content: 'momo is the office dog.' })).toBe(toldKey(fact));
    expect(toldKey({ ...fact, layer: 'org' })).not.toBe(toldKey(fact));
    expect(toldKey({ ...fact, scope: { team: 'office', user: 'alice' } })).not.toBe(toldKey(fact));
    expect(toldKey({ ...fact, scope: { org: 'office' } })).not.toBe(toldKey(fact));
  });

  it('[A20] are the same if the later one says nothing else beside the text', () => {
    const tagged = { ...fact, tags: ['a', 'b'], metadata: { source: 'wiki' } };
    expect(compareTelling(fact, fact)).toBe('same');
    expect(compareTelling(fact, tagged)).toBe('same');
    expect(compareTelling({ ...tagged, tags: ['b', 'a'] }, tagged)).toBe('same');
    expect(compareTelling({ ...fact, tags: ['a', 'b'] }, tagged)).toBe('same');
    expect(compareTelling(tagged, fact)).toBe('more');
    expect(compareTelling({ ...fact, tags: ['a'] }, tagged)).toBe('more');
    expect(compareTelling({ ...fact, spaces: ['s'] }, tagged)).toBe('more');
    expect(compareTelling({ ...fact, representations: { code: 'dog()' } }, tagged)).toBe('more');
    expect(compareTelling(fact, { ...fact, content: 'Momo is the office cat' })).toBe('other');
  });

  it('[A20] with other tags, metadata or subjects have keys of their own', () => {
    const tagged = { ...fact, tags: ['b', 'a'] };
    expect(detailedToldKey(tagged)).toBe(detailedToldKey({ ...fact, tags: ['a', 'b'] }));
    expect(detailedToldKey(tagged)).not.toBe(detailedToldKey({ ...fact, tags: ['a'] }));
    expect(detailedToldKey(fact, 'alice')).not.toBe(detailedToldKey(fact, 'bob'));
  });
});

describe('affirmations', () => {
  const tell = (told: string, before = affirmationsAfter(undefined)) =>
    decideAffirmation({ memoryId: 'm1', told }, before);

  it('[A20] are counted, and their time never moves back', () => {
    const first = tell('2024-05-01T00:00:00.000Z');
    expect(first).toEqual({
      type: 'MemoryAffirmed',
      data: { memoryId: 'm1', affirmedAt: '2024-05-01T00:00:00.000Z', affirmations: 1 },
    });
    const earlier = tell('2024-03-01T00:00:00.000Z', affirmationsAfter(first));
    expect(affirmationsAfter(earlier)).toEqual({
      affirmations: 2,
      affirmedAt: '2024-05-01T00:00:00.000Z',
    });
    const later = tell('2024-06-01T00:00:00.000Z', affirmationsAfter(earlier));
    expect(affirmationsAfter(later)).toEqual({ affirmations: 3, affirmedAt: '2024-06-01T00:00:00.000Z' });
  });

  it('[A20] make a fact as new as its last telling', () => {
    const [january, march, may] = [1, 3, 5].map((month) => `2024-0${month}-01T00:00:00.000Z`) as [
      string,
      string,
      string,
    ];
    expect(lastToldAt({ createdAt: march })).toBe(march);
    expect(lastToldAt({ createdAt: march, occurredAt: january })).toBe(january);
    expect(lastToldAt({ createdAt: march, occurredAt: january, affirmedAt: may })).toBe(may);
    expect(lastToldAt({ createdAt: march, affirmedAt: january })).toBe(march);
  });
});
