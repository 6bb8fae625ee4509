import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { clientWithKey, type Client, type Json } from './api.ts';
import { chooseCommand, type CommandKind, type CommandPlan, type KnownMemory } from './load-commands.ts';
import { randomOf, type Random } from './random.ts';
import type { ServerAddress } from './server.ts';

/** One attempt of a command. Its `requestId` is the correlation id of every event that it wrote. */
export interface Attempt {
  readonly requestId: string;
  /** `unknown`: no answer, an incomplete answer, 503 or 504; the command may or may not have been executed. */
  readonly outcome: 'acknowledged' | 'refused' | 'unknown';
  readonly status?: number;
  readonly body?: Json;
  readonly replayed?: boolean;
}

/** When a request was sent, how long its answer took, and what it said. */
export interface TimedAnswer {
  readonly tenant: string;
  readonly kind: CommandKind;
  /** From `performance.now()`. */
  readonly sentAt: number;
  readonly ms: number;
  readonly outcome: Attempt['outcome'];
}

/** A command with all its attempts. */
export interface Command extends CommandPlan {
  readonly tenant: string;
  readonly attempts: Attempt[];
}

/** A search that got an answer. */
export interface AnsweredSearch {
  readonly tenant: string;
  readonly requestId: string;
  readonly searchId: string;
}

export interface LoadTenant {
  readonly id: string;
  readonly key: string;
  readonly memories: KnownMemory[];
}

export interface LoadOptions {
  readonly seed: number;
  readonly tenants?: number;
  /** Pause of each client between two requests, in milliseconds. */
  readonly pauseMs?: number;
  /** Called after each request, for example to record latencies. */
  readonly onAnswer?: (answer: TimedAnswer) => void;
}

/** Statuses that races and earlier commands explain: lost races, taken ids, deleted or erased memories. */
const expected = new Set([404, 409, 412]);

/**
 * A mixed load through HTTP that records what it sent and the answers, for `oracle.ts` to compare with the log. It can run
 * several times, with several servers of the same data, before and after they are killed.
 */
export class Load {
  readonly commands: Command[] = [];
  readonly searches: AnsweredSearch[] = [];
  /** Unexpected answers. Each is a fault of the server. */
  readonly surprises: string[] = [];
  readonly tenants: readonly LoadTenant[];
  readonly #random: Random;
  readonly #pauseMs: number;
  readonly #onAnswer: (answer: TimedAnswer) => void;

  private constructor(tenants: readonly LoadTenant[], options: LoadOptions) {
    this.tenants = tenants;
    this.#random = randomOf(options.seed);
    this.#pauseMs = options.pauseMs ?? 0;
    this.#onAnswer = options.onAnswer ?? (() => {});
  }

  /** Creates the tenants, each with an admin's key. */
  static async begin(server: ServerAddress, options: LoadOptions): Promise<Load> {
    const { seed, tenants = 3 } = options;
    const created: LoadTenant[] = [];
    for (let index = 0; index < tenants; index++) {
      const id = `load${process.pid}_${index}_${seed}`;
      const client: Client = await clientWithKey(server, { tenant: id, role: 'admin', user: 'ada' });
      created.push({ id, key: client.key!, memories: [] });
    }
    return new Load(created, options);
  }

  /**
   * Sends requests with `clients` concurrent clients, spread over `urls`, until `signal` aborts. Resolves after the last answer.
   * The caller may change `urls` meanwhile.
   */
  async run(urls: readonly string[], clients: number, signal: AbortSignal): Promise<void> {
    const client = async (random: Random): Promise<void> => {
      while (!signal.aborted) {
        const tenant = random.pick(this.tenants);
        const plan = chooseCommand(random, tenant.memories);
        const known = await this.#do(random.pick(urls), tenant, plan);
        await sleep(known ? this.#pauseMs : Math.max(25, this.#pauseMs));
      }
    };
    await Promise.all(Array.from({ length: clients }, () => client(this.#random.fork())));
  }

  /** Repeats these commands with the same keys and bodies, a few at a time. */
  async repeat(url: string, commands: readonly Command[]): Promise<void> {
    const waiting = [...commands];
    const client = async (): Promise<void> => {
      for (let command = waiting.shift(); command; command = waiting.shift()) {
        const tenant = this.tenants.find(({ id }) => id === command.tenant)!;
        command.attempts.push(await this.#attempt(url, tenant, command));
      }
    };
    await Promise.all(Array.from({ length: 8 }, client));
  }

  /** Commands with an unknown outcome that can safely be repeated. */
  unsettled(): Command[] {
    return this.commands.filter(
      ({ repeatable, attempts }) => repeatable && attempts.at(-1)!.outcome === 'unknown',
    );
  }

  /** Some of the acknowledged commands with a key. A repetition of each must be answered as a replay. */
  sampleAcknowledged(count: number): Command[] {
    const keyed = this.commands.filter(
      ({ headers, attempts }) =>
        headers['idempotency-key'] !== undefined && attempts.at(-1)!.outcome === 'acknowledged',
    );
    return Array.from({ length: Math.min(count, keyed.length) }, () => this.#random.pick(keyed));
  }

  /** The number of commands of each kind, and how many were acknowledged. */
  figures(): Record<string, string> {
    const kinds = new Map<CommandKind, [acknowledged: number, all: number]>();
    for (const { kind, attempts } of this.commands) {
      const [acknowledged, all] = kinds.get(kind) ?? [0, 0];
      const done = attempts.some(({ outcome }) => outcome === 'acknowledged') ? 1 : 0;
      kinds.set(kind, [acknowledged + done, all + 1]);
    }
    const shown = [...kinds].map(([kind, [acknowledged, all]]) => [kind, `${acknowledged}/${all}`]);
    return { ...Object.fromEntries(shown), searches: String(this.searches.length) };
  }

  /** Sends a request. Returns whether its outcome is known. */
  async #do(url: string, tenant: LoadTenant, plan: CommandPlan): Promise<boolean> {
    const command: Command = { ...plan, tenant: tenant.id, attempts: [] };
    const sentAt = performance.now();
    const attempt = await this.#attempt(url, tenant, command);
    const { outcome } = attempt;
    this.#onAnswer({ tenant: tenant.id, kind: plan.kind, sentAt, ms: performance.now() - sentAt, outcome });
    command.attempts.push(attempt);
    if (plan.kind !== 'search') this.commands.push(command);
    else if (outcome === 'acknowledged') {
      const { requestId, body } = attempt;
      this.searches.push({ tenant: tenant.id, requestId, searchId: body.searchId });
    }
    return outcome !== 'unknown';
  }

  async #attempt(url: string, tenant: LoadTenant, command: Command): Promise<Attempt> {
    const requestId = randomUUID();
    let response: Response;
    try {
      response = await fetch(url + command.path, {
        method: command.method,
        headers: {
          ...command.headers,
          authorization: `Bearer ${tenant.key}`,
          'x-request-id': requestId,
          ...(command.body !== undefined && { 'content-type': command.contentType }),
        },
        ...(command.body !== undefined && { body: command.body }),
      });
    } catch {
      return { requestId, outcome: 'unknown' };
    }
    const { text, complete } = await readText(response);
    const attempt = this.#judge(command, requestId, response, text, complete);
    if (attempt.outcome === 'acknowledged') remember(tenant, command, attempt.body);
    return attempt;
  }

  #judge(
    { kind, method, path }: Command,
    requestId: string,
    { status, headers }: Response,
    text: string,
    complete: boolean,
  ): Attempt {
    if (kind === 'bulk' && status === 200) return judgeBulk(requestId, text, complete);
    if (!complete || status === 503 || status === 504) return { requestId, outcome: 'unknown', status };
    const body: Json = JSON.parse(text);
    const replayed = headers.get('idempotency-replayed') === 'true';
    if (status < 300) return { requestId, outcome: 'acknowledged', status, body, replayed };
    if (!expected.has(status)) {
      this.surprises.push(`${method} ${path} (${kind}) answered ${status} ${text.slice(0, 300)}`);
    }
    return { requestId, outcome: 'refused', status, body };
  }
}

/** The lines that were received count as acknowledged, even if the stream broke off after them. */
function judgeBulk(requestId: string, text: string, complete: boolean): Attempt {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  const body = whole.filter((line) => line !== '').map((line) => JSON.parse(line));
  const settled = complete && body.every(({ status }) => status !== 503);
  return { requestId, outcome: settled ? 'acknowledged' : 'unknown', status: 200, body };
}

async function readText(response: Response): Promise<{ text: string; complete: boolean }> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
    return { text, complete: true };
  } catch {
    return { text, complete: false };
  }
}

/** Updates the known memories, on which later commands operate. */
function remember({ memories }: LoadTenant, { kind }: Command, body: Json): void {
  if (kind === 'search' || kind === 'feedback') return;
  const stored: Json[] = kind === 'bulk' ? body.filter((line: Json) => line.id) : [body.memory];
  for (const { id, revision = 0 } of stored) {
    const known = memories.find((memory) => memory.id === id);
    if (known) known.revision = Math.max(known.revision, revision);
    else memories.push({ id, revision });
  }
}
