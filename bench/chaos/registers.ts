import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { clientWithKey } from '../../test/support/api.ts';
import type { LoadTenant } from '../../test/support/load.ts';
import { randomOf, type Random } from '../../test/support/random.ts';
import type { ServerAddress } from '../../test/support/server.ts';
import type { Operation, OperationKind, RegisterAnswer } from './history.ts';

const memories = 6;
const clientsPerMemory = 3;
const pauseMs = 60;
const retryMs = 150;
/** After this many attempts without an answer the outcome of an operation counts as unknown. */
const mostAttempts = 40;
const kinds: readonly OperationKind[] = [
  'read',
  'read',
  'read',
  'write',
  'conditional',
  'conditional',
  'delete',
  'restore',
  'restore',
];

interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface Reply {
  readonly status: number;
  readonly answer: RegisterAnswer;
}

/** Clients that read and change the same few memories at the same time, and record each call with its answer. */
export class Registers {
  readonly history: Operation[] = [];
  readonly tenant: LoadTenant;
  readonly #ids: readonly string[];
  readonly #random: Random;
  #values = 0;

  private constructor(tenant: LoadTenant, ids: readonly string[], random: Random) {
    this.tenant = tenant;
    this.#ids = ids;
    this.#random = random;
  }

  static async begin(server: ServerAddress, seed: number): Promise<Registers> {
    const id = `registers_${seed}`;
    const client = await clientWithKey(server, { tenant: id, role: 'admin', user: 'ada' });
    const ids: string[] = [];
    for (let n = 0; n < memories; n++) ids.push((await client.store({ content: 'v0' })).memory.id);
    return new Registers({ id, key: client.key!, memories: [] }, ids, randomOf(seed));
  }

  async run(urls: readonly string[], signal: AbortSignal): Promise<void> {
    const clients = this.#ids.flatMap((id, index) =>
      Array.from({ length: clientsPerMemory }, (_, n) =>
        this.#client(index * clientsPerMemory + n, id, urls, signal),
      ),
    );
    await Promise.all(clients);
  }

  async #client(client: number, memory: string, urls: readonly string[], signal: AbortSignal): Promise<void> {
    const random = this.#random.fork();
    let revision = 0;
    while (!signal.aborted) {
      const kind = random.pick(kinds);
      const value = kind === 'write' || kind === 'conditional' ? `v${++this.#values}` : undefined;
      const expected = kind === 'conditional' ? revision : undefined;
      const call = callOf(kind, memory, value, expected);
      const sentAt = performance.now();
      const requestIds: string[] = [];
      const reply = await this.#settle(() => random.pick(urls), call, requestIds, signal);
      if (reply?.status === 200) revision = reply.answer.revision;
      this.history.push({
        client,
        memory,
        kind,
        ...(value !== undefined && { value }),
        ...(expected !== undefined && { expected }),
        call: nanoseconds(sentAt),
        requestIds,
        ...(reply && { return: nanoseconds(performance.now()), answer: reply.answer }),
      });
      await sleep(random.int(0, 2 * pauseMs));
    }
  }

  /** Repeats a call until it is answered. Undefined if its outcome stays unknown. */
  async #settle(
    url: () => string,
    call: Call,
    requestIds: string[],
    signal: AbortSignal,
  ): Promise<Reply | undefined> {
    for (let attempt = 0; attempt < mostAttempts; attempt++) {
      const requestId = randomUUID();
      requestIds.push(requestId);
      const reply = await this.#attempt(url(), call, requestId);
      // A refusal after an attempt without an answer does not tell what became of that attempt.
      if (reply !== undefined)
        return attempt === 0 || reply.status === 200 || call.method === 'GET' ? reply : undefined;
      if (signal.aborted && attempt > 3) return undefined;
      await sleep(retryMs);
    }
    return undefined;
  }

  async #attempt(
    url: string,
    { method, path, headers, body }: Call,
    requestId: string,
  ): Promise<Reply | undefined> {
    try {
      const response = await fetch(url + path, {
        method,
        headers: {
          ...headers,
          authorization: `Bearer ${this.tenant.key}`,
          'x-request-id': requestId,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const { status } = response;
      const shown = (await response.json()) as { memory?: ShownMemory } & ShownMemory;
      if (status >= 500 || status === 429) return undefined;
      const { revision = 0, content = '', state } = shown.memory ?? shown;
      return { status, answer: { status, revision, value: content, deleted: state === 'deleted' } };
    } catch {
      return undefined;
    }
  }
}

interface ShownMemory {
  readonly revision?: number;
  readonly content?: string;
  readonly state?: string;
}

function callOf(kind: OperationKind, memory: string, value?: string, expected?: number): Call {
  const path = `/v1/memories/${memory}`;
  const headers = { 'idempotency-key': randomUUID() };
  switch (kind) {
    case 'read':
      return { method: 'GET', path, headers: {} };
    case 'write':
      return { method: 'PATCH', path, headers: { ...headers, 'if-match': '*' }, body: { content: value } };
    case 'conditional':
      return {
        method: 'PATCH',
        path,
        headers: { ...headers, 'if-match': `"${expected}"` },
        body: { content: value },
      };
    case 'delete':
      return { method: 'DELETE', path, headers };
    case 'restore':
      return { method: 'POST', path: `${path}/restore`, headers };
    default:
      return kind satisfies never;
  }
}

const nanoseconds = (ms: number): number => Math.round(ms * 1e6);
