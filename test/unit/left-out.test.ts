import { describe, expect, it } from 'vitest';
import type { StratalogEvent } from '../../src/domain/events/registry.ts';
import { LeftOut, type Choice } from '../../src/domain/what-if/left-out.ts';

let position = 0;

/** An event of the log; only the fields that matter here. */
function event(type: StratalogEvent['type'], data: object, { actor = 'user:ada', cause = '' } = {}) {
  position++;
  const metadata = { actor, ...(cause && { causationId: cause }) };
  return { id: `e${position}`, position, event: { type, data } as unknown as StratalogEvent, metadata };
}

function left(choice: Choice, events: readonly ReturnType<typeof event>[]) {
  const leftOut = new LeftOut(choice);
  const taken = events.filter((one) => leftOut.takes(one));
  return { taken: taken.map(({ event }) => event.type), leftOut };
}

describe('what is left out', () => {
  const stored = event(
    'MemoryStored',
    { memoryId: 'm', metadata: { source: 'forum' }, trust: { source: 'web' } },
    { actor: 'agent:x' },
  );
  const log = [
    stored,
    event('MemoryStored', { memoryId: 'other', metadata: {} }),
    event('MemoryUpdated', { memoryId: 'm' }),
    event('MemoryUpdated', { memoryId: 'other' }),
    event('MemoriesLinked', { source: 'other', target: 'm' }),
    event('FeedbackGiven', { memoryId: 'other', searchId: 's1.sig' }, { actor: 'agent:x' }),
  ];
  const feedback = log.at(-1)!;
  const later = [
    event('UseObserved', { searchId: 's1.sig', results: [] }, { actor: 'system', cause: feedback.id }),
    event(
      'SummaryGenerated',
      { summaries: [{ sources: [{ id: 'm' }] }], shown: ['other'] },
      { actor: 'system' },
    ),
    event('SummaryGenerated', { summaries: [{ sources: [{ id: 'other' }] }] }, { actor: 'system' }),
  ];
  const all = [...log, ...later];

  it('[F10] is also what follows from it: later events of a memory, links, summaries that quote it', () => {
    const { taken, leftOut } = left({ memories: ['m'] }, all);
    expect(taken).toEqual(['MemoryStored', 'MemoryUpdated', 'MemoriesLinked', 'SummaryGenerated']);
    expect([...leftOut.memories]).toEqual(['m']);
    for (const choice of [{ source: 'forum' }, { trust: 'web' as const }, { events: [stored.id] }])
      expect(left(choice, all).taken).toEqual(taken);
  });

  it('[F10] is also what the program did because of it', () => {
    const { taken, leftOut } = left({ feedbackOf: 'agent:x' }, all);
    expect(taken).toEqual(['FeedbackGiven', 'UseObserved']);
    expect([...leftOut.searches]).toEqual(['s1']);
    expect([...leftOut.memories]).toEqual([]);
  });

  it('[F10] meets all conditions', () => {
    const { from, to } = { from: feedback.position, to: feedback.position };
    expect(left({ actor: 'agent:x', from, to }, all).taken).toEqual(['FeedbackGiven', 'UseObserved']);
    expect(left({ actor: 'user:ada', source: 'forum' }, all).taken).toEqual([]);
    expect(left({ memories: ['m'], from: 2 }, log).taken).toEqual(['MemoryUpdated', 'MemoriesLinked']);
  });
});
