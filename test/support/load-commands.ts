import { randomUUID } from 'node:crypto';
import type { Random } from './random.ts';

export type CommandKind =
  'store' | 'bulk' | 'update' | 'delete' | 'restore' | 'erase' | 'link' | 'unlink' | 'feedback' | 'search';

/** A request to be sent. */
export interface CommandPlan {
  readonly kind: CommandKind;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly contentType: string;
  /** It has an idempotency key or an externalId, so it can safely be repeated. */
  readonly repeatable: boolean;
  /** Maximum number of effects. */
  readonly effects: number;
}

/** The last known state of a memory. */
export interface KnownMemory {
  readonly id: string;
  revision: number;
}

const weights: readonly [CommandKind, number][] = [
  ['store', 30],
  ['bulk', 2],
  ['update', 20],
  ['delete', 8],
  ['restore', 5],
  ['erase', 3],
  ['link', 10],
  ['unlink', 3],
  ['feedback', 7],
  ['search', 12],
];
const total = weights.reduce((sum, [, weight]) => sum + weight, 0);

const words =
  'login endpoint billing service retry queue index shard deploy rollback token cache tenant budget'.split(
    ' ',
  );
const linkTypes = ['supports', 'contradicts', 'supersedes', 'requires', 'related'];
/** Those that need no search. */
const feedbackKinds = ['outdated', 'inaccurate', 'duplicate'];
const bulkLines = 6;

/** The next request of a client. Clients race, because they share externalIds and the memories of the tenant. */
export function chooseCommand(random: Random, memories: readonly KnownMemory[]): CommandPlan {
  const kind = memories.length < 3 ? 'store' : chooseKind(random);
  const { id, revision } = memories.length > 0 ? random.pick(memories) : { id: '', revision: 0 };
  const other = memories.length > 0 ? random.pick(memories).id : '';
  const target = other === id ? memories.find((memory) => memory.id !== id)?.id : other;
  const link = `/v1/memories/${id}/links/${random.pick(linkTypes)}/${target}`;
  switch (kind) {
    case 'store':
      return store(random);
    case 'bulk':
      return bulk(random);
    case 'update': {
      const match = random.chance(0.7) ? `"${revision}"` : '*';
      const patch = { content: text(random), metadata: { mark: randomUUID() } };
      return plan(random, kind, 'PATCH', `/v1/memories/${id}`, patch, { 'if-match': match });
    }
    case 'delete':
      return plan(random, kind, 'DELETE', `/v1/memories/${id}`);
    case 'restore':
      return plan(random, kind, 'POST', `/v1/memories/${id}/restore`);
    case 'erase':
      return plan(random, kind, 'DELETE', `/v1/memories/${id}?mode=erase`);
    case 'link':
      return plan(random, kind, 'PUT', link, { confidence: random.next() });
    case 'unlink':
      return plan(random, kind, 'DELETE', link);
    case 'feedback': {
      const body = { kind: random.pick(feedbackKinds), note: text(random) };
      return plan(random, kind, 'POST', `/v1/memories/${id}/feedback`, body);
    }
    case 'search':
      return {
        ...plan(random, kind, 'POST', '/v1/search', { query: text(random), threshold: 0 }),
        headers: {},
        repeatable: false,
      };
    default:
      return kind satisfies never;
  }
}

function chooseKind(random: Random): CommandKind {
  let left = random.next() * total;
  return weights.find(([, weight]) => (left -= weight) < 0)![0];
}

function store(random: Random): CommandPlan {
  const externalId = random.chance(0.4) ? `shared-${random.int(1, 400)}-${random.int(1, 4)}` : undefined;
  const made = plan(random, 'store', 'POST', '/v1/memories', {
    ...memory(random),
    ...(externalId && { externalId }),
  });
  return { ...made, repeatable: made.repeatable || externalId !== undefined };
}

/** Always with an idempotency key, which is needed to resume it. */
function bulk(random: Random): CommandPlan {
  const lines = Array.from({ length: bulkLines }, () => JSON.stringify(memory(random)));
  return {
    kind: 'bulk',
    method: 'POST',
    path: '/v1/memories/bulk',
    headers: { 'idempotency-key': randomUUID() },
    body: lines.join('\n'),
    contentType: 'application/x-ndjson',
    repeatable: true,
    effects: bulkLines,
  };
}

function memory(random: Random): Record<string, unknown> {
  const layer = random.pick(['user', 'user', 'project', 'company']);
  return {
    content: text(random),
    layer,
    ...(layer === 'project' && { scope: { project: `p${random.int(1, 3)}` } }),
    tags: [random.pick(words)],
    metadata: { mark: randomUUID() },
  };
}

function plan(
  random: Random,
  kind: CommandKind,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): CommandPlan {
  const keyed = random.chance(0.6);
  return {
    kind,
    method,
    path,
    headers: { ...headers, ...(keyed && { 'idempotency-key': randomUUID() }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    contentType: 'application/json',
    repeatable: keyed,
    effects: 1,
  };
}

/** A unique text, so an update always changes something. */
function text(random: Random): string {
  const some = Array.from({ length: random.int(4, 30) }, () => random.pick(words));
  return `${some.join(' ')} ${randomUUID()}`;
}
