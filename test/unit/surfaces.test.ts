import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import { allProjections, projectionsForReactors } from '../../src/projections/all.ts';
import { soleEmbedder } from '../support/sole-embedder.ts';

/** The caches that hold no content of memories and nothing derived from it, and what they hold. */
const withoutContent: Readonly<Record<string, string>> = {
  'src/adapters/embedding/shared-vectors.ts': 'vectors of questions',
  'src/adapters/pglite/prepared.ts': 'names of prepared statements',
  'src/api/own-writes.ts': 'positions of writes',
  'src/api/context/summary-demand.ts': 'when summaries were asked for',
  'src/commands/ledger/ledger.ts': 'what tenants have spent',
  'src/commands/ledger/metered-embedders.ts': 'hashes of questions',
  'src/commands/spaces/space-directory.ts': 'configurations of spaces',
  'src/commands/spaces/space-quotas.ts': 'sizes of spaces',
  'src/http/mem0/recent-searches.ts': 'ids of searches',
  'src/observability/repeated-errors.ts': 'errors that were logged',
  'src/past/what-ifs.ts': 'ids and scores of answers',
  'src/projections/log-gaps.ts': 'events as they are stored, encrypted',
  'src/projections/vectors/tenant-sizes.ts': 'numbers of memories',
  'src/queries/content-routing/content-routing-directory.ts': 'rules for documents',
  'src/queries/experience/experience-reader.ts': 'counts of searches',
  'src/queries/policies/policy-directory.ts': 'weights of policies',
  'src/queries/routing/outcome-posters.ts': 'who has posted an outcome',
  'src/queries/search/passage-places.ts': 'offsets in texts',
  'src/queries/search/ranking-directory.ts': 'what ranks memories of a tenant',
  'src/queries/routing/routing-directory.ts': 'settings of routing',
  'src/api/admission/limits-directory.ts': 'limits of tenants',
  'src/api/admission/rate-limits.ts': 'what credentials asked for',
  'src/queries/tenant-directory.ts': 'keys and settings of tenants',
  'src/support/fresh-cache.ts': 'what its users put into it',
  'src/support/resilience/circuit-breaker.ts': 'failures of servers',
  'src/support/resilience/retry-schedule.ts': 'what is tried again, by id',
};

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => path.join('src', file));

describe('who must forget a memory', () => {
  it('[F11] every cache is a surface, or says what else it holds', () => {
    const caches = sources.filter((file) => readFileSync(file, 'utf8').match(/new (LRU|Fresh)Cache/));
    const isSurface = (file: string) =>
      /implements Surface|new TenantSurface\(/.test(readFileSync(file, 'utf8'));
    expect(caches.filter((file) => !isSurface(file)).sort()).toEqual(Object.keys(withoutContent).sort());
    expect(caches.filter(isSurface)).toHaveLength(6);
  });

  it('[F11] every surface is registered by whoever opens it', () => {
    const surfaces = sources
      .map((file) => readFileSync(file, 'utf8'))
      .filter((source) => /class (?!TenantSurface)\w+ implements Surface|new TenantSurface\(/.test(source))
      .map((source) => /export class (\w+)/.exec(source)![1]!);
    expect(surfaces.length).toBeGreaterThanOrEqual(5);
    const registering = sources.filter((file) =>
      /surfaces\.add\(|get surfaces\(\)/.test(readFileSync(file, 'utf8')),
    );
    for (const name of surfaces)
      expect(
        registering.some((file) => readFileSync(file, 'utf8').includes(`new ${name}(`)),
        `${name} is opened by a file that registers its surfaces`,
      ).toBe(true);
  });

  it('[F11] every read model counts what it holds of a memory, or says why it holds nothing', () => {
    const embedders = soleEmbedder(deterministicEmbedder({ dimension: 16 }));
    const services = { store: undefined as never, vault: undefined as never, windowMs: 1 };
    for (const { name, holds } of [...allProjections(embedders), ...projectionsForReactors(services)])
      if (typeof holds === 'function')
        expect(
          holds((table) => `read.${table}`),
          name,
        ).toMatch(/\$1.*\$2/s);
      else expect(holds.nothing, name).toMatch(/^\w.{8,}/);
  });
});
