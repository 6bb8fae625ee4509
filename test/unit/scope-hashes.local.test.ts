import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Layer, Scope } from '../../src/domain/layers.ts';
import { feedbackStream } from '../../src/domain/streams.ts';
import { feedback } from '../../src/projections/feedback/feedback.ts';
import { links } from '../../src/projections/links/links.ts';
import { memories } from '../../src/projections/memories/memories.ts';
import type { Projection } from '../../src/projections/projection.ts';
import { readScopeHashes } from '../../src/queries/summaries/scope-hashes.ts';
import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import { openTestStore, storeTestMemory, testContext, type TestStore } from '../support/event-store.ts';
import { beginReadModel, type LiveReadModel } from '../support/live-read-model.ts';
import { soleEmbedder } from '../support/sole-embedder.ts';

let test: TestStore;
let live: LiveReadModel[];

beforeAll(async () => {
  test = await openTestStore();
  const embedders = soleEmbedder(deterministicEmbedder({ dimension: 16 }));
  live = [];
  for (const projection of [memories, links, feedback(embedders)] as Projection[])
    live.push(await beginReadModel(test, projection));
});

afterAll(() => test.close());

const places: readonly { readonly layer: Layer; readonly scope: Scope }[] = [
  { layer: 'company', scope: {} },
  { layer: 'org', scope: { org: 'north' } },
  { layer: 'team', scope: { team: 'search' } },
  { layer: 'team', scope: { team: 'billing' } },
  { layer: 'user', scope: { user: 'ada' } },
  { layer: 'session', scope: { session: 'one', user: 'ada' } },
  { layer: 'session', scope: { session: 'one' } },
  { layer: 'agent', scope: { agent: 'helper', user: 'ada' } },
];
const empty = { layer: 'project', scope: { project: 'nobody' } } as const;

/** The hashes, once for whole scopes and once for scopes of at most so many memories. */
async function hashes(): Promise<{ readonly whole: string[]; readonly some: string[] }> {
  for (const each of live) await each.follow();
  const { models } = live[0]!;
  return models.read({ projections: ['memories', 'links', 'feedback'] }, async (view) => {
    const scopes = [...places, empty];
    return {
      whole: await readScopeHashes(models.sql, view, 'acme', scopes),
      some: await readScopeHashes(models.sql, view, 'acme', scopes, 1_000),
    };
  });
}

it('[E3] the hash of a scope is the same however it is read, and changes with what its memories say', async () => {
  const stored = [];
  for (const place of places)
    for (let n = 0; n < 4; n++)
      stored.push(
        await storeTestMemory(test, { ...place, content: `Note ${n} of ${JSON.stringify(place)}` }),
      );
  const before = await hashes();
  expect(before.whole).toEqual(before.some);
  expect(before.whole.at(-1)).toBe('0:0');
  expect(before.whole.slice(0, -1).every((hash) => hash.startsWith('4:'))).toBe(true);
  expect(new Set(before.whole).size).toBe(places.length + 1);

  const [company, replaced] = [stored[0]!.value.id, stored[1]!.value.id];
  const supersedes = { source: company, target: replaced, type: 'supersedes', confidence: 1 } as const;
  await test.store.append(
    'links-acme.1',
    'any',
    [{ type: 'MemoriesLinked', data: supersedes }],
    testContext(),
  );
  const refuted = stored[17]!.value.id;
  const judgement = { memoryId: refuted, kind: 'outdated' as const, score: -1, isAuthoritative: true };
  const stream = feedbackStream('acme', refuted);
  await test.store.append(stream, 'noStream', [{ type: 'FeedbackGiven', data: judgement }], testContext());
  const after = await hashes();
  expect(after.whole).toEqual(after.some);
  const changed = places.filter((_, at) => before.whole[at] !== after.whole[at]);
  expect(changed).toEqual([places[0], places[4]]);
});
