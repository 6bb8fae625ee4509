import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const read = (name: string): string => readFileSync(new URL(`../../corpus/${name}`, import.meta.url), 'utf8');

const Id = z.string().regex(/^[A-Za-z0-9][\w.-]*$/);
const Scope = z.strictObject({
  org: Id.optional(),
  team: Id.optional(),
  project: Id.optional(),
  session: Id.optional(),
});
const Memory = z.strictObject({
  externalId: z.string().min(1).max(512),
  layer: z.enum(['company', 'org', 'team', 'project', 'session']),
  scope: Scope.default({}),
  content: z.string().min(90).max(1_500),
  tags: z.array(z.string().regex(/^[a-z0-9-]+$/)).min(1),
  metadata: z.looseObject({
    kind: z.enum(['handbook', 'org-doc', 'team-doc', 'kep', 'proposal', 'meeting']),
    title: z.string().min(1),
    source_path: z.string().regex(/^[\w-]+\/[\w-]+:\S+$/),
  }),
  occurredAt: z.iso.datetime().optional(),
});
type Memory = z.infer<typeof Memory>;

const Question = z.strictObject({
  query: z.string().min(1),
  layers: z.array(z.string()).min(1).optional(),
  scope: Scope.optional(),
  tags: z.array(z.string()).min(1).optional(),
  filter: z.record(z.string(), z.unknown()).optional(),
  why: z.string().min(1),
  shown: z.string().min(1).optional(),
  expect: z.array(z.string()).min(1),
});
const Step = { externalId: z.string(), query: z.string().min(1), reason: z.string().min(1).max(500) };
const Questions = z.strictObject({
  queries: z.array(Question),
  unanswered: z.strictObject({ query: z.string().min(1), why: z.string().min(1) }),
  context: z.strictObject({ query: z.string().min(1), why: z.string().min(1) }),
  story: z.strictObject({
    change: z.strictObject({
      ...Step,
      before: z.string(),
      after: z.string(),
      content: z.string(),
      invented: z.string(),
    }),
    delete: z.strictObject({ ...Step, note: z.string() }),
  }),
});

const lines = read('memories.ndjson').split('\n').slice(0, -1);
const memories = lines.map((line) => Memory.parse(JSON.parse(line)));
const byId = new Map(memories.map((memory) => [memory.externalId, memory]));
const { queries, story } = Questions.parse(JSON.parse(read('queries.json')));

const repositoryOf = (memory: Memory): string => memory.metadata.source_path.split(':')[0] ?? '';
const documentOf = (memory: Memory): string => memory.externalId.split('#')[0] ?? '';

function tally(keys: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1;
  return counts;
}

describe('corpus/memories.ndjson', () => {
  it('is small enough to ship and large enough to search', () => {
    expect(Buffer.byteLength(read('memories.ndjson'))).toBeLessThanOrEqual(1_000_000);
    expect(memories.length).toBeGreaterThanOrEqual(1_000);
    expect(memories.length).toBeLessThanOrEqual(1_200);
  });

  it('has one memory per line, with unique externalIds in order', () => {
    const ids = memories.map((memory) => memory.externalId);
    expect(byId.size).toBe(ids.length);
    expect(ids).toEqual(ids.toSorted());
  });

  it('gives each memory the identifier of its layer and none of a more specific one', () => {
    const order = ['company', 'org', 'team', 'project', 'session'] as const;
    for (const { externalId, layer, scope } of memories) {
      if (layer !== 'company') expect(scope[layer], externalId).toBeDefined();
      for (const below of order.slice(order.indexOf(layer) + 1)) {
        if (below !== 'company') expect(scope[below], externalId).toBeUndefined();
      }
    }
  });

  it('never uses one team or project name in two organisations', () => {
    for (const key of ['team', 'project'] as const) {
      const orgs = new Map<string, string | undefined>();
      for (const { externalId, scope } of memories) {
        const name = scope[key];
        if (name === undefined) continue;
        expect(orgs.get(name) ?? scope.org, `${externalId}: ${name}`).toBe(scope.org);
        orgs.set(name, scope.org);
      }
    }
  });

  it('has enough memories of every layer', () => {
    const layers = tally(memories.map((memory) => memory.layer));
    expect(layers['company']).toBeGreaterThanOrEqual(50);
    expect(layers['org']).toBeGreaterThanOrEqual(50);
    expect(layers['team']).toBeGreaterThanOrEqual(200);
    expect(layers['project']).toBeGreaterThanOrEqual(400);
    expect(layers['session']).toBeGreaterThanOrEqual(20);
  });

  it('contains only well-formed text and no e-mail addresses', () => {
    for (const { externalId, content } of memories) {
      expect(content.isWellFormed(), externalId).toBe(true);
      expect(content, externalId).not.toContain('\u0000');
      expect(content, externalId).not.toMatch(/[\w.+-]+@[a-z][\w-]*\.(com|org|io|net|dev)\b/i);
    }
  });

  it('ships whole documents: their chunks are numbered from 0 without gaps', () => {
    const pieces = new Map<string, number[]>();
    for (const memory of memories) {
      const numbers = pieces.get(documentOf(memory)) ?? [];
      numbers.push(Number(memory.externalId.split('#')[1]));
      pieces.set(documentOf(memory), numbers);
    }
    for (const [name, numbers] of pieces) {
      expect(
        numbers.toSorted((a, b) => a - b),
        name,
      ).toEqual(numbers.map((_, index) => index));
    }
  });
});

describe('corpus/NOTICE.md', () => {
  const rows = [
    ...read('NOTICE.md').matchAll(
      /^\| \[(\S+)\]\(\S+\) \| `([0-9a-f]{12,40})` \| ([\w.-]+) \| (\d+) \| (\d+) \|$/gm,
    ),
  ].map(([, repository = '', commit, licence, documents, count]) => ({
    repository,
    commit,
    licence,
    documents: Number(documents),
    count: Number(count),
  }));

  it('lists exactly the allowed repositories, all under the licence in LICENSE', () => {
    expect(rows.map((row) => row.repository).toSorted()).toEqual([
      'kubernetes/community',
      'kubernetes/enhancements',
      'open-telemetry/oteps',
      'prometheus/proposals',
      'sourcegraph/handbook',
    ]);
    expect(new Set(rows.map((row) => row.licence))).toEqual(new Set(['Apache-2.0']));
    expect(readFileSync(new URL('../../LICENSE', import.meta.url), 'utf8')).toMatch(
      /Apache License\s+Version 2\.0/,
    );
  });

  it('states the actual numbers of memories and documents', () => {
    const counts = tally(memories.map(repositoryOf));
    expect(Object.fromEntries(rows.map((row) => [row.repository, row.count]))).toEqual(counts);
    for (const row of rows) {
      const own = memories.filter((memory) => repositoryOf(memory) === row.repository);
      expect(new Set(own.map(documentOf)).size, row.repository).toBe(row.documents);
    }
  });
});

describe('corpus/queries.json', () => {
  it('asks about a dozen questions', () => {
    expect(queries.length).toBeGreaterThanOrEqual(12);
    expect(new Set(queries.map(({ query }) => query)).size).toBe(queries.length);
  });

  it('expects only existing memories that match its layers, scope and tags', () => {
    for (const { query, expect: answers, layers, scope, tags } of queries) {
      for (const id of answers) {
        const memory = byId.get(id);
        if (memory === undefined) throw new Error(`${query}: no memory ${id}`);
        if (layers) expect(layers, id).toContain(memory.layer);
        if (tags) expect(memory.tags.some((tag) => tags.includes(tag))).toBe(true);
        for (const key of ['org', 'team', 'project', 'session'] as const) {
          if (scope?.[key] !== undefined) expect([scope[key], undefined], id).toContain(memory.scope[key]);
        }
      }
    }
  });

  it('quotes one memory word for word', () => {
    const verbatim = queries.filter(({ query, expect: [id = ''] }) => byId.get(id)?.content.includes(query));
    expect(verbatim).toHaveLength(1);
  });

  it('changes one sentence of one memory and deletes another', () => {
    const { change } = story;
    const original = byId.get(change.externalId)?.content;
    expect(original).toContain(change.before);
    expect(change.content).toBe(original?.replace(change.before, change.after));
    expect(change.content).not.toBe(original);
    expect(byId.has(story.delete.externalId)).toBe(true);
    expect(story.delete.externalId).not.toBe(change.externalId);
    expect(queries.map(({ query }) => query)).toContain(change.query);
  });
});
