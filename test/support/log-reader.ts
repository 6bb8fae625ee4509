import { setTimeout as sleep } from 'node:timers/promises';
import { clientOf, type Json } from './api.ts';
import type { LoadTenant } from './load.ts';
import { testMasterKey, type TestServer } from './server.ts';

/** An event as returned by the audit. */
export interface LogEvent {
  readonly tenant: string;
  readonly stream: string;
  readonly revision: number;
  /** Position in the whole log, decoded from the token. */
  readonly position: number;
  readonly type: string;
  readonly correlationId: string;
  readonly commandId?: string;
  readonly data: Json;
}

/** The position in a position token. */
export function placeOf(token: string): number {
  return Number.parseInt(token.slice(token.indexOf('-') + 1), 36);
}

/** Reads the whole log through the audits of `tenants`, and the signed heads. Each call continues after the previous one. */
export class LogReader {
  readonly events: LogEvent[] = [];
  readonly #tenants: readonly LoadTenant[];
  readonly #after = new Map<string, string>();
  /** Number of signed heads, which are events of no tenant. */
  #heads = 0;

  constructor(tenants: readonly LoadTenant[]) {
    this.#tenants = tenants;
  }

  /** Returns the new events, in log order. */
  async read(url: string): Promise<LogEvent[]> {
    const found: LogEvent[] = [];
    for (const tenant of this.#tenants) found.push(...(await this.#readTenant(url, tenant)));
    found.push(...(await this.#readHeads(url, this.#tenants[0]!)));
    found.sort((left, right) => left.position - right.position);
    this.events.push(...found);
    return found;
  }

  async #readHeads(url: string, { key }: LoadTenant): Promise<LogEvent[]> {
    const response = await fetch(`${url}/v1/audit/heads?limit=500`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const { items }: Json = await response.json();
    const stream = 'checkpoint-system.log';
    const heads = items.toReversed().map(({ position, ...data }: Json, revision: number) => ({
      tenant: 'system',
      stream,
      revision,
      position: placeOf(position),
      type: 'CheckpointSigned',
      correlationId: 'checkpoints',
      data,
    }));
    const found = heads.slice(this.#heads);
    this.#heads = heads.length;
    return found;
  }

  async #readTenant(url: string, { id, key }: LoadTenant): Promise<LogEvent[]> {
    const after = this.#after.get(id);
    const query = after === undefined ? '' : `?after=${after}`;
    const response = await fetch(`${url}/v1/audit/events${query}`, {
      headers: { authorization: `Bearer ${key}`, accept: 'application/x-ndjson' },
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`the audit answered ${response.status} ${text}`);
    const lines = text.split('\n').filter((line) => line !== '');
    const shown = lines.map((line) => JSON.parse(line));
    if (shown.length > 0) this.#after.set(id, shown.at(-1).position);
    return shown.map((event) => ({ ...event, tenant: id, position: placeOf(event.position) }));
  }
}

/**
 * Waits until every read model has applied the whole log, and returns the head of the log. On a busy machine this may take
 * long, so it throws only if a stream is parked or no read model has advanced for `stuckMs`.
 */
export async function caughtUp(
  server: Pick<TestServer, 'url'> & Partial<TestServer>,
  stuckMs = 60_000,
): Promise<number> {
  const { url } = server;
  // A server without any key shows everything to everyone on its machine.
  const masterKey = 'masterKey' in server ? server.masterKey : testMasterKey;
  let stood = '';
  for (let giveUp = Date.now() + stuckMs; ; await sleep(50)) {
    const readiness: Json = (await clientOf({ url }, masterKey).get('/readyz')).body;
    const behind = readiness.projections.filter(({ lag }: Json) => lag > 0);
    const parked = readiness.projections.filter((projection: Json) => projection.parked > 0);
    if (parked.length > 0) throw new Error(`parked: ${JSON.stringify(parked)}`);
    if (readiness.status === 'ready' && behind.length === 0) return readiness.log.head;
    const standing = JSON.stringify(readiness.projections.map(({ position }: Json) => position));
    if (standing !== stood) giveUp = Date.now() + stuckMs;
    else if (Date.now() > giveUp) throw new Error(`not caught up: ${JSON.stringify(readiness)}`);
    stood = standing;
  }
}

/** A read model that was rebuilt next to the live one and compared with it. */
export interface Rebuilt {
  readonly name: string;
  readonly equal: boolean;
  readonly digest: string;
}

/** Rebuilds the named read models through the API at the same time, or all if none is named. Returns how they compared. */
export async function rebuild(url: string, key: string, ...names: string[]): Promise<Rebuilt[]> {
  const client = clientOf({ url }, key);
  const list = async (): Promise<Json[]> => (await client.get('/v1/admin/projections')).body.items;
  const wanted = names.length > 0 ? names : (await list()).map(({ name }) => name as string);
  const building = new Map<string, number>();
  for (const name of wanted) {
    const { status, body } = await client.post(`/v1/admin/projections/${name}/rebuild`);
    if (status !== 202) throw new Error(`rebuild of ${name} answered ${status} ${JSON.stringify(body)}`);
    building.set(name, body.generation);
  }
  const results: Rebuilt[] = [];
  while (building.size > 0) {
    for (const { name, generations } of await list()) {
      if (!building.has(name)) continue;
      const built = generations.find((item: Json) => item.generation === building.get(name));
      if (!built) throw new Error(`rebuild of ${name} was ended`);
      if (built.state === 'failed') throw new Error(`rebuild of ${name} failed: ${built.error}`);
      if (built.state !== 'ready') continue;
      results.push({ name, equal: built.equal, digest: built.digest });
      building.delete(name);
    }
    await sleep(50);
  }
  return results;
}
