import { describe, expect, it } from 'vitest';
import { SqlError } from '../../src/adapters/sql/error.ts';
import type { MemoryView } from '../../src/domain/memory/view.ts';
import type { KeyVault } from '../../src/ports/key-vault.ts';
import type { Sql } from '../../src/ports/sql.ts';
import { MultiHopSearch, type MultiHopRequest } from '../../src/queries/hops/multi-hop-search.ts';
import type { ReadModels, ReadView } from '../../src/queries/read-models.ts';
import type { Finding } from '../../src/queries/search/finding.ts';
import { adminOf } from '../support/admin.ts';

const caller = adminOf('acme');
const request: MultiHopRequest = {
  query: 'where does it come from',
  topK: 10,
  depth: 3,
  pathThreshold: 0.1,
  budget: { queries: 50, wallMs: 5_000 },
};
const never = new Promise<never>(() => undefined);
const view = { position: 7, table: (name: string) => name, signature: () => '' } as unknown as ReadView;
const memory = { id: 'm1', content: 'x', layer: 'company', scope: {}, metadata: {} } as unknown as MemoryView;
const finding: Finding = {
  best: [{ memory, score: 0.8 }],
  position: 7,
  warnings: [],
  embeddingModel: 'm',
  view,
};

interface Doubles {
  readonly find?: () => Promise<Finding>;
  readonly linked?: () => Promise<never[]>;
}

function searching({ find = () => Promise.resolve(finding), linked = () => Promise.resolve([]) }: Doubles) {
  const failures: unknown[] = [];
  const search = new MultiHopSearch({
    models: {
      sql: {
        // Only reading the hops fails, not what supersedes the results.
        queryAs: (_: string, text: string) => (text.includes('supersedes') ? Promise.resolve([]) : linked()),
      } as unknown as Sql,
      view: () => Promise.resolve(view),
    } as unknown as ReadModels,
    search: {
      view: () => Promise.resolve(view),
      find,
    },
    mentions: (_, memories) => Promise.resolve(memories.map(() => [])),
    vault: { pseudonym: () => 'signed' } as unknown as KeyVault,
    clock: { now: () => new Date() },
    onFailure: (error) => failures.push(error),
  });
  return { search, failures };
}

const trajectoryOf = ({ fact }: { fact: { events: readonly { type: string; data: unknown }[] } }) =>
  fact.events.find(({ type }) => type === 'TrajectoryRecorded')!.data;

describe('a search over several hops', () => {
  it('[D-8] that never answers ends when its time is up, with a warning', async () => {
    const { search } = searching({ find: () => never });
    const started = performance.now();
    const answer = await search.search(caller, { ...request, budget: { queries: 50, wallMs: 50 } });
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(answer).toMatchObject({ results: [], paths: [], warnings: [{ code: 'timed-out' }] });
    expect(trajectoryOf(answer)).toMatchObject({
      outcome: 'partial',
      interruption: 'wall-time',
      steps: [{ action: 'SearchLayer', status: 'unfinished', reason: 'wall-time' }],
    });
  });

  it('[D-8] keeps its results so far if a hop never answers', async () => {
    const { search } = searching({ linked: () => never });
    const answer = await search.search(caller, { ...request, budget: { queries: 50, wallMs: 50 } });
    expect(answer).toMatchObject({
      results: [{ memory: { id: 'm1' }, relevance: 0.8, rank: 1 }],
      warnings: [{ code: 'timed-out' }],
    });
  });

  it('[D-8] keeps its results so far if a hop fails, and the failure is logged and recorded', async () => {
    const cause = new Error('the links are gone');
    const { search, failures } = searching({ linked: () => Promise.reject(cause) });
    const answer = await search.search(caller, request);
    expect(answer).toMatchObject({ results: [{ rank: 1 }], warnings: [{ code: 'partial' }] });
    expect(failures).toEqual([cause]);
    expect(trajectoryOf(answer)).toMatchObject({
      interruption: 'error',
      steps: [{ status: 'done' }, { action: 'FollowLinks', status: 'failed' }],
    });
  });

  it('[D-8] [F4] starts again with a new view if a hop reads a dropped generation', async () => {
    let hops = 0;
    const dropped = new SqlError({ message: 'relation does not exist', code: '42P01' });
    const { search, failures } = searching({
      linked: () => (hops++ === 0 ? Promise.reject(dropped) : Promise.resolve([])),
    });
    const answer = await search.search(caller, request);
    expect(answer).toMatchObject({ results: [{ rank: 1 }], warnings: [] });
    expect(failures).toEqual([]);
    expect(trajectoryOf(answer)).toMatchObject({ outcome: 'complete' });
  });

  it('[D-8] rejects with the error of its first search', async () => {
    const cause = new Error('no engine answers');
    const { search } = searching({ find: () => Promise.reject(cause) });
    await expect(search.search(caller, request)).rejects.toBe(cause);
  });
});
