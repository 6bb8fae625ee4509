import { createHash } from 'node:crypto';
import type { Query } from '../../ranking/datasets.ts';
import type { HttpClient, Json } from '../../support/http.ts';

/** One way to ask. */
export interface Step {
  readonly path: string;
  readonly body: Json;
}

const byRelevance = { threshold: 0, order: 'relevance' };
export const routed: Step = { path: '/v1/search', body: byRelevance };
export const standard: Step = { path: '/v1/search', body: { ...byRelevance, mode: 'standard' } };
export const hops: Step = { path: '/v1/reasoning/multi-hop', body: { depth: 2 } };
/** Experience chooses what the others set. */
export const experienced: Step = { path: '/v1/reasoning/search', body: byRelevance };

/** When an answer is a success: a right result among so many of the first. */
export interface Goal {
  readonly among: number;
}

/** A question with what answers it. */
export class Task {
  readonly query: Query;
  readonly #goal: Goal;
  readonly #documents: ReadonlyMap<string, string>;
  readonly #gold: ReadonlySet<string>;

  /** @param documents The document of each memory, for sets whose gold is documents. */
  constructor(query: Query, documents: ReadonlyMap<string, string>, goal: Goal) {
    this.query = query;
    this.#goal = goal;
    this.#documents = query.gold_docs ? documents : new Map();
    this.#gold = new Set(query.gold_docs ?? query.gold);
  }

  /** Ids of the right results among those that the agent looks at. */
  right(results: readonly Json[]): string[] {
    const seen = new Set<string>();
    const right: string[] = [];
    for (const { memory } of results) {
      const unit = this.#documents.get(memory.externalId) ?? memory.externalId;
      seen.add(unit);
      if (seen.size > this.#goal.among) break;
      if (this.#gold.has(unit)) right.push(memory.id);
    }
    return right;
  }
}

export interface Attempt {
  /** Whether the first answer was a success. */
  readonly first: boolean;
  /** Calls until a success; all steps if there was none. */
  readonly calls: number;
}

/**
 * Asks until the answer has a right result, and posts after each call what was used. Like an agent that works: it asks again if it found
 * nothing, and ends its session.
 */
export async function work(
  client: HttpClient,
  task: Task,
  steps: readonly Step[],
  sessionId: string,
): Promise<Attempt> {
  let calls = 0;
  let first = false;
  for (const [index, step] of steps.entries()) {
    calls++;
    const { searchId, results } = await ask(client, task, step, sessionId);
    const used = task.right(results);
    const isLast = index === steps.length - 1;
    const outcome = used.length > 0 ? { used, quality: 1 } : { used: [], ...(!isLast && { refined: true }) };
    await client.expect(200, 'POST', `/v1/searches/${searchId}/outcome`, outcome);
    if (index === 0) first = used.length > 0;
    if (used.length > 0) break;
  }
  await client.expect(200, 'POST', `/v1/sessions/${sessionId}/end`);
  return { first, calls };
}

/** Asks without a session and posts nothing. */
export async function attemptsOf(
  client: HttpClient,
  tasks: readonly Task[],
  steps: readonly Step[],
): Promise<Attempt[]> {
  const attempts: Attempt[] = [];
  for (const task of tasks) {
    const right: boolean[] = [];
    for (const step of steps) {
      const { results } = await ask(client, task, step);
      right.push(task.right(results).length > 0);
      if (right.at(-1)) break;
    }
    attempts.push({ first: right[0]!, calls: right.length });
  }
  return attempts;
}

function ask(
  client: HttpClient,
  { query: { query, scope } }: Task,
  { path, body }: Step,
  sessionId?: string,
): Promise<Json> {
  const { tenant: _, ...own } = scope;
  return client.expect(200, 'POST', path, {
    query,
    scope: own,
    topK: 10,
    ...body,
    ...(sessionId && { sessionId }),
  });
}

/** The tasks in random order, again and again, until there are `count`. */
export function inTurn(tasks: readonly Task[], count: number, seed: string): Task[] {
  const turns: Task[] = [];
  for (let pass = 0; turns.length < count; pass++)
    turns.push(...tasks.toSorted((one, other) => place(one, pass, seed) - place(other, pass, seed)));
  return turns.slice(0, count);
}

const place = ({ query }: Task, pass: number, seed: string): number => coin(seed, pass, query.id);

/** A number in [0, 1), always the same for the same parts. */
export function coin(...parts: readonly (string | number)[]): number {
  return createHash('sha256').update(parts.join('\n')).digest().readUInt32BE(0) / 2 ** 32;
}
