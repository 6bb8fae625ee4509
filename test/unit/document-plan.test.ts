import { describe, expect, it } from 'vitest';
import { planRevision, type KnownSection, type NextSection } from '../../src/domain/documents/plan.ts';

const content = (path: readonly string[], body: string) => `${path.join(' › ')}\n\n${body}`;
const known = (memoryId: string, path: readonly string[], body: string, key?: string): KnownSection => ({
  memoryId,
  path,
  hash: content(path, body),
  content: content(path, body),
  ...(key !== undefined && { key }),
});
const removed = ({ content: _, ...section }: KnownSection): KnownSection => section;
const next = (path: readonly string[], body: string, key?: string): NextSection => ({
  section: { path, start: 0, end: 1, kind: 'text', ...(key !== undefined && { key }) },
  content: content(path, body),
  hash: content(path, body),
});

function plan(before: readonly KnownSection[], now: readonly NextSection[], isFeed = false): string[] {
  let ids = 0;
  const steps = planRevision({ known: before, next: now, newId: () => `new${++ids}`, isFeed });
  return steps.map(({ action, memoryId }) => `${action} ${memoryId}`);
}

const pump = 'The pump was replaced in April by a model with one kilowatt, which is quiet.';
const hedge = 'Hedges along the main path may be tall, the inner ones are cut by St John in June.';

describe('a new revision', () => {
  it('keeps what only moved, also among equal sections', () => {
    const before = [known('a', ['Pump'], pump), known('b', ['Hedge'], hedge), known('c', ['Pump'], pump)];
    expect(plan(before, [next(['Hedge'], hedge), next(['Pump'], pump), next(['Pump'], pump)])).toEqual([
      'keep b',
      'keep a',
      'keep c',
    ]);
  });

  it('changes what has the same path and most of its words', () => {
    const before = [known('a', ['Pump'], pump), known('b', ['Pump'], hedge)];
    const now = [next(['Pump'], hedge.replace('June', 'July')), next(['Pump'], pump.replace('one', 'two'))];
    expect(plan(before, now)).toEqual(['change b', 'change a']);
  });

  it('changes what is alone under its path if a quarter is left, and replaces it otherwise', () => {
    const rewritten =
      'In April the pump was replaced; the new model hums, and its power is 1.1 kilowatts at most.';
    expect(plan([known('a', ['Pump'], pump)], [next(['Pump'], rewritten)])).toEqual(['change a']);
    expect(plan([known('a', ['Pump'], pump)], [next(['Pump'], 'Trampolines are forbidden.')])).toEqual([
      'add new1',
      'remove a',
    ]);
  });

  it('changes what has the same text under another heading', () => {
    expect(plan([known('a', ['Pump'], pump)], [next(['Water', 'Pump'], pump)])).toEqual(['change a']);
  });

  it('gives a changed section to the most alike one', () => {
    const before = [known('a', ['Log'], `${pump} One.`), known('b', ['Log'], `${pump} Two. Three.`)];
    expect(
      plan(before, [next(['Log'], `${pump} Two. Three. Four.`), next(['Log'], `${pump} One. Five.`)]),
    ).toEqual(['change b', 'change a']);
  });

  it('adds, removes, and restores what returns', () => {
    const before = [known('a', ['Pump'], pump), removed(known('b', ['Hedge'], hedge))];
    expect(plan(before, [next(['Hedge'], hedge), next(['Vote'], 'The motion was lost.')])).toEqual([
      'restore b',
      'add new1',
      'remove a',
    ]);
  });
});

describe('a feed', () => {
  it('keeps entries that left its window, and finds them again by their keys', () => {
    const before = [known('a', ['Pump'], pump, 'k1'), known('b', ['Hedge'], hedge, 'k2')];
    expect(plan(before, [next(['Hedge'], 'Rewritten.', 'k2')], true)).toEqual(['change b']);
    const unknown = [{ ...known('a', ['Pump'], pump, 'k1'), content: '' }];
    expect(plan(unknown, [next(['Pump'], 'Rewritten.', 'k1')], true)).toEqual(['change a']);
    expect(plan([removed(before[0]!)], [next(['Pump'], 'Rewritten.', 'k1')], true)).toEqual(['restore a']);
  });

  it('tells entries with the same text apart by their keys', () => {
    const before = [known('a', ['News'], pump, 'k1'), known('b', ['News'], pump, 'k2')];
    const now = [next(['News'], pump, 'k2'), next(['News'], hedge, 'k1'), next(['News'], pump, 'k3')];
    expect(plan(before, now, true)).toEqual(['keep b', 'change a', 'add new1']);
  });

  it('takes an entry with another key and the same text for the same one', () => {
    expect(plan([known('a', ['News'], pump, 'k1')], [next(['News'], pump, 'k2')], true)).toEqual(['keep a']);
  });
});

describe('a revision of ten thousand sections', () => {
  it('is planned in seconds, though all are under one path and changed', () => {
    const body = (n: number, word: string) =>
      `Day ${n}: the wind was north, and ship${n} passed lock${n % 97} ${word}.`;
    const before = Array.from({ length: 10_000 }, (_, n) => known(`m${n}`, [], body(n, 'early')));
    const now = before.map((_, n) => next([], body(n, 'late'))).reverse();
    const started = performance.now();
    const steps = plan(before, now);
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(steps).toEqual(now.map((_, n) => `change m${9_999 - n}`));
  });
});
