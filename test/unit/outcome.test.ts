import { describe, expect, it } from 'vitest';
import {
  checkedSignals,
  closingSignal,
  newFeedback,
  outcomeOf,
  signalOfFeedback,
  signalOfPosted,
  type OutcomeSignal,
} from '../../src/domain/learning/outcome.ts';

const posted = (quality: number): OutcomeSignal => signalOfPosted({ used: ['a'], quality });
const helpful = (memoryId: string, score: number) => signalOfFeedback({ memoryId, kind: 'helpful', score })!;
const irrelevant = (memoryId: string) => signalOfFeedback({ memoryId, kind: 'irrelevant', score: -0.5 })!;
const refinement: OutcomeSignal = { kind: 'refined', source: 'refinement', memoryIds: [] };
const context: OutcomeSignal = { kind: 'used', source: 'context', memoryIds: ['a'], quality: 0.6 };
const silence: OutcomeSignal = { kind: 'ignored', source: 'window', memoryIds: [] };

describe('[C1] the outcome of a search', () => {
  it('is none without a signal', () => {
    expect(outcomeOf([])).toEqual({ kind: 'none', explicit: false });
  });

  it('is decided by the signal that says most, wherever it stands', () => {
    const ascending = [silence, context, refinement, irrelevant('a'), posted(0.3)];
    const outcomes = [
      { kind: 'ignored', explicit: false },
      { kind: 'used', quality: 0.6, explicit: false },
      { kind: 'refined', explicit: false },
      { kind: 'ignored', explicit: true },
      { kind: 'used', quality: 0.3, explicit: true },
    ];
    for (const [index, outcome] of outcomes.entries()) {
      const signals = ascending.slice(0, index + 1);
      expect(outcomeOf(signals)).toEqual(outcome);
      expect(outcomeOf([...signals].reverse())).toEqual(outcome);
      expect(outcomeOf([...signals, ...signals])).toEqual(outcome);
    }
  });

  it('is the latest that the caller posted', () => {
    expect(outcomeOf([posted(0.2), posted(0.9)])).toMatchObject({ quality: 0.9 });
    expect(outcomeOf([posted(0.9), silence, posted(0.2)])).toMatchObject({ quality: 0.2 });
  });

  it('is the best of the latest feedback on each memory', () => {
    expect(outcomeOf([irrelevant('a'), helpful('b', 0.5), helpful('c', 0.4)])).toEqual({
      kind: 'used',
      quality: 0.5,
      explicit: true,
    });
    expect(outcomeOf([helpful('a', 1), irrelevant('a')])).toEqual({ kind: 'ignored', explicit: true });
    expect(outcomeOf([irrelevant('a'), helpful('a', 1)])).toMatchObject({ kind: 'used', quality: 1 });
  });
});

describe('[C1] a posted outcome', () => {
  it.each([
    [{ used: ['a', 'b', 'a'] }, { kind: 'used', quality: 1, memoryIds: ['a', 'b'] }],
    [
      { used: ['a'], quality: 0 },
      { kind: 'used', quality: 0 },
    ],
    [
      { used: ['a'], refined: true },
      { kind: 'used', quality: 0.6, refined: true },
    ],
    [
      { used: ['a'], refined: true, quality: 0.9 },
      { kind: 'used', quality: 0.9 },
    ],
    [
      { used: [], refined: true },
      { kind: 'refined', memoryIds: [] },
    ],
    [{ used: [] }, { kind: 'ignored', memoryIds: [] }],
  ])('%j is a signal', (outcome, signal) => {
    expect(signalOfPosted(outcome)).toMatchObject({ source: 'caller', ...signal });
  });
});

describe('[C1] [A13] feedback', () => {
  it('about the memory itself says nothing about the search', () => {
    for (const kind of ['outdated', 'inaccurate', 'duplicate'] as const)
      expect(signalOfFeedback({ memoryId: 'a', kind, score: -1 })).toBeUndefined();
  });

  it('that is withdrawn says nothing any more, and leaves what else was said', () => {
    const withdrawn = newFeedback([irrelevant('a')], { memoryId: 'a', kind: 'irrelevant', score: 0.5 })!;
    expect(withdrawn).toMatchObject({ kind: 'withdrawn', source: 'feedback', memoryIds: ['a'] });
    expect(outcomeOf([irrelevant('a'), withdrawn])).toEqual({ kind: 'none', explicit: false });
    expect(outcomeOf([irrelevant('a'), helpful('b', 0.7), withdrawn])).toMatchObject({
      kind: 'used',
      quality: 0.7,
    });
    expect(outcomeOf([irrelevant('a'), withdrawn, irrelevant('a')])).toMatchObject({
      kind: 'ignored',
      explicit: true,
    });
    const closing = { inContext: [], isObservable: true, by: 'window' } as const;
    expect(closingSignal([irrelevant('a'), withdrawn], closing)).toEqual(silence);
    const late = { memoryId: 'a', kind: 'helpful', score: -1 } as const;
    expect(newFeedback([helpful('a', 1)], late)).toMatchObject({ kind: 'withdrawn' });
    expect(newFeedback([], late)).toBeUndefined();
    // Each kind withdraws only itself.
    expect(newFeedback([irrelevant('a')], late)).toBeUndefined();
    expect(newFeedback([helpful('a', 1)], { ...late, kind: 'irrelevant', score: 1 })).toBeUndefined();
    expect(
      newFeedback([irrelevant('a'), withdrawn], { ...late, kind: 'irrelevant', score: 1 }),
    ).toBeUndefined();
  });

  it('and outcomes about other memories than those of the answer are no signals', () => {
    const answered = new Set(['b']);
    expect(checkedSignals([helpful('a', 1), irrelevant('a'), posted(1)], answered)).toEqual([]);
    const both = signalOfPosted({ used: ['a', 'b'] });
    const kept = checkedSignals([both, helpful('b', 1), context, silence], answered);
    expect(kept).toEqual([{ ...both, memoryIds: ['b'] }, helpful('b', 1), context, silence]);
  });
});

describe('[C1] a search that is closed', () => {
  const closing = { inContext: [], isObservable: true, by: 'session-end' } as const;

  it('is ignored if nothing was heard of it, only where silence says something', () => {
    expect(closingSignal([], closing)).toEqual({ kind: 'ignored', source: 'session-end', memoryIds: [] });
    expect(closingSignal([], { ...closing, isObservable: false })).toBeUndefined();
  });

  it('was used if its memories were put into a context', () => {
    const inContext = { ...closing, inContext: ['a', 'b'] };
    expect(closingSignal([], inContext)).toEqual({ ...context, memoryIds: ['a', 'b'] });
    expect(closingSignal([], { ...inContext, isObservable: false })).toMatchObject({ source: 'context' });
    expect(closingSignal([silence], inContext)).toMatchObject({ source: 'context' });
  });

  it('stays as it is after a signal that says as much or more', () => {
    for (const signal of [posted(0.5), irrelevant('a'), refinement, context])
      expect(closingSignal([signal], { ...closing, inContext: ['a'] })).toBeUndefined();
    expect(closingSignal([silence], closing)).toBeUndefined();
  });
});
