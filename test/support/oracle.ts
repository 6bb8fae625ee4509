import { clientOf, type Client, type Json } from './api.ts';
import type { AnsweredSearch, Attempt, Command, LoadTenant } from './load.ts';
import type { CommandKind } from './load-commands.ts';
import { placeOf, type LogEvent } from './log-reader.ts';

/** The type of the event that a kind of command writes. */
const effectOf: Readonly<Record<CommandKind, string>> = {
  store: 'MemoryStored',
  bulk: 'MemoryStored',
  update: 'MemoryUpdated',
  delete: 'MemoryDeleted',
  restore: 'MemoryRestored',
  erase: 'MemoryErased',
  link: 'MemoriesLinked',
  unlink: 'MemoriesUnlinked',
  feedback: 'FeedbackGiven',
  search: 'SearchPerformed',
};

/** Commands that are acknowledged without an event if there is nothing left to do. */
const mayBeDone: readonly CommandKind[] = ['delete', 'restore', 'erase', 'unlink'];

/**
 * Faults of the log itself: gaps, duplicates, wrong order, and commands that wrote twice. `head` must be read before the events.
 * Without it positions need not be dense; in KurrentDB they are not.
 */
export function faultsOfLog(events: readonly LogEvent[], head = 0): string[] {
  const faults: string[] = [];
  const positions = new Map<number, LogEvent>();
  const streams = new Map<string, number[]>();
  const commands = new Map<string, string>();
  for (const event of events) {
    const { position, stream, revision, commandId, type } = event;
    if (positions.has(position)) faults.push(`position ${position} is there twice`);
    positions.set(position, event);
    streams.set(stream, [...(streams.get(stream) ?? []), revision]);
    if (commandId === undefined || /^(?:claim|fact)-/.test(stream)) continue;
    const before = commands.get(commandId);
    const here = `${type} at ${stream}@${revision}`;
    if (before !== undefined) faults.push(`command ${commandId} wrote ${before} and ${here}`);
    commands.set(commandId, here);
  }
  for (let position = 1; position <= head; position++) {
    if (!positions.has(position)) faults.push(`position ${position} of ${head} is missing`);
  }
  for (const [stream, revisions] of streams) {
    if (revisions.some((revision, index) => revision !== index))
      faults.push(`revisions of ${stream}: ${revisions.join(' ')}`);
  }
  return faults;
}

/** Faults of commands: acknowledged ones that are not in the log exactly once as acknowledged, and refused ones that are in it. */
export function faultsOfCommands(commands: readonly Command[], events: readonly LogEvent[]): string[] {
  const log = new LogIndex(events);
  return commands.flatMap((command) =>
    faultsOfCommand(command, log).map(
      (fault) => `${command.kind} ${command.path} ${JSON.stringify(command.attempts.map(brief))}: ${fault}`,
    ),
  );
}

/** Searches that were recorded more than once or, with `all`, not at all. */
export function faultsOfSearches(
  searches: readonly AnsweredSearch[],
  events: readonly LogEvent[],
  all: boolean,
): string[] {
  const performed = new Map<string, number>();
  for (const { type, correlationId } of events) {
    if (type === 'SearchPerformed') performed.set(correlationId, (performed.get(correlationId) ?? 0) + 1);
  }
  return searches.flatMap(({ requestId }) => {
    const times = performed.get(requestId) ?? 0;
    return times > 1 || (all && times === 0) ? [`search ${requestId} was written ${times} times`] : [];
  });
}

class LogIndex {
  readonly #byRequest = new Map<string, LogEvent[]>();
  readonly #byPlace = new Map<string, LogEvent>();
  readonly #erased = new Set<string>();

  constructor(events: readonly LogEvent[]) {
    for (const event of events) {
      const { correlationId, stream, revision, type, data } = event;
      this.#byRequest.set(correlationId, [...(this.#byRequest.get(correlationId) ?? []), event]);
      this.#byPlace.set(`${stream}@${revision}`, event);
      if (type === 'MemoryErased') this.#erased.add(data.memoryId);
    }
  }

  effects({ kind, attempts }: Command): LogEvent[] {
    const written = attempts.flatMap(({ requestId }) => this.#byRequest.get(requestId) ?? []);
    return written.filter(({ type }) => type === effectOf[kind]);
  }

  memoryEvent(tenant: string, id: string, revision: number): LogEvent | undefined {
    return this.#byPlace.get(`memory-${tenant}.${id}@${revision}`);
  }

  isErased(id: string): boolean {
    return this.#erased.has(id);
  }
}

function faultsOfCommand(command: Command, log: LogIndex): string[] {
  const { kind, attempts, effects: most } = command;
  const effects = log.effects(command);
  const acknowledged = attempts.filter(({ outcome }) => outcome === 'acknowledged');
  if (effects.length > most) return [`written ${effects.length} times`];
  if (kind === 'bulk') return faultsOfBulk(attempts, effects);
  if (acknowledged.length > 0)
    return acknowledged.flatMap((attempt) => faultsOfAnswer(command, attempt, effects[0], log));
  const last = attempts.at(-1)!;
  if (last.outcome === 'unknown' || effects.length === 0) return [];
  // The repetition of an executed command may only be refused if the memory was erased, or if the refusal names the memory that
  // has the externalId.
  const [{ data }] = effects as [LogEvent];
  const gone = [data.memoryId, data.source, data.target].some((id) => id && log.isErased(id));
  const namesMemory = kind === 'store' && last.status === 409 && last.body.memoryId === data.memoryId;
  return (last.status === 404 && gone) || namesMemory ? [] : ['refused, and yet it is written'];
}

function faultsOfAnswer(
  { kind, tenant }: Command,
  { body }: Attempt,
  effect: LogEvent | undefined,
  log: LogIndex,
): string[] {
  const { memory, position } = body;
  const place = placeOf(position);
  if (!effect) {
    if (!mayBeDone.includes(kind)) return ['acknowledged, and not in the log'];
    if (kind === 'unlink') return [];
    const state = log.memoryEvent(tenant, memory.id, memory.revision)?.type;
    const fits =
      kind === 'restore' ? state !== undefined && !/Deleted|Erased/.test(state) : state === effectOf[kind];
    return fits ? [] : [`acknowledged without an event, and revision ${memory.revision} is ${state}`];
  }
  if (kind === 'link' || kind === 'unlink')
    return effect.data.source === memory.id && effect.position <= place ? [] : ['another link is written'];
  if (effect.position !== place) return [`answered position ${place}, written at ${effect.position}`];
  if (kind === 'feedback') return [];
  const answered = `memory-${tenant}.${memory.id}@${memory.revision}`;
  const written = `${effect.stream}@${effect.revision}`;
  return answered === written ? [] : [`answered ${answered}, written at ${written}`];
}

/** Checks that every line acknowledged in any attempt is one memory, the same one in all attempts. */
function faultsOfBulk(attempts: readonly Attempt[], effects: readonly LogEvent[]): string[] {
  const idsByLine = new Map<number, string>();
  const faults: string[] = [];
  for (const { body = [], outcome } of attempts) {
    if (outcome === 'refused') faults.push(`refused: ${JSON.stringify(body)}`);
    for (const { line, id } of outcome === 'refused' ? [] : (body as Json[])) {
      if (id === undefined) continue;
      if (idsByLine.has(line) && idsByLine.get(line) !== id) faults.push(`line ${line} has two memories`);
      idsByLine.set(line, id);
    }
  }
  const written = new Set(effects.map(({ data }) => data.memoryId));
  for (const [line, id] of idsByLine) if (!written.has(id)) faults.push(`line ${line} is not in the log`);
  if (written.size !== effects.length) faults.push('a line is written twice');
  if (attempts.at(-1)!.outcome === 'acknowledged' && written.size !== idsByLine.size)
    faults.push(`${idsByLine.size} lines were answered, ${written.size} are written`);
  return faults;
}

function brief({ outcome, status, replayed, body }: Attempt): unknown {
  return [outcome, status, ...(replayed ? ['replayed'] : []), ...(body?.code ? [body.code] : [])];
}

interface Standing {
  readonly state: 'active' | 'deleted' | 'erased';
  readonly versions: LogEvent[];
}

/** Compares memories in the log with the answers of get, history and list. `sample` limits how many are read one by one. */
export async function faultsOfAnswers(
  url: string,
  tenant: LoadTenant,
  events: readonly LogEvent[],
  sample = Infinity,
): Promise<string[]> {
  const client = clientOf({ url }, tenant.key);
  const wanted = standings(tenant.id, events);
  const faults = await faultsOfLists(client, wanted);
  const ids = [...wanted.keys()];
  const step = Math.max(1, ids.length / sample);
  for (let index = 0; index < ids.length; index += step) {
    const id = ids[Math.floor(index)]!;
    faults.push(...(await faultsOfMemory(client, id, wanted.get(id)!)));
  }
  return faults;
}

function standings(tenant: string, events: readonly LogEvent[]): Map<string, Standing> {
  const found = new Map<string, Standing>();
  const prefix = `memory-${tenant}.`;
  for (const event of events) {
    if (!event.stream.startsWith(prefix)) continue;
    const id = event.stream.slice(prefix.length);
    const state =
      event.type === 'MemoryErased' ? 'erased' : event.type === 'MemoryDeleted' ? 'deleted' : 'active';
    found.set(id, { state, versions: [...(found.get(id)?.versions ?? []), event] });
  }
  return found;
}

async function faultsOfMemory(client: Client, id: string, { state, versions }: Standing): Promise<string[]> {
  const got = await client.get(`/v1/memories/${id}`);
  if (state === 'erased') return got.status === 404 ? [] : [`${id} is erased and answers ${got.status}`];
  const last = versions.at(-1)!.revision;
  if (got.status !== 200 || got.body.state !== state || got.body.revision !== last)
    return [`${id} is ${state} at ${last} and answers ${got.status} ${JSON.stringify(got.body)}`];
  const history = await client.get(`/v1/memories/${id}/history?limit=500`);
  const shown = history.body.items.map(({ revision, type, position }: Json) => [
    revision,
    type,
    placeOf(position),
  ]);
  const written = versions.map(({ revision, type, position }) => [revision, type, position]);
  if (JSON.stringify(shown) === JSON.stringify(written)) return [];
  return [`history of ${id} is ${JSON.stringify(shown)}, the log has ${JSON.stringify(written)}`];
}

/** Compares the list, which comes from the read model: the state and revision of each memory, and no duplicate externalIds. */
async function faultsOfLists(client: Client, wanted: ReadonlyMap<string, Standing>): Promise<string[]> {
  const faults: string[] = [];
  const listed = new Map<string, string>();
  const externalIds = new Set<string>();
  for (const state of ['active', 'deleted']) {
    for (let cursor = ''; ;) {
      const page = await client.get(`/v1/memories?limit=500&state=${state}${cursor}`);
      if (page.status !== 200) return [`a list answered ${page.status} ${JSON.stringify(page.body)}`];
      for (const { id, revision, externalId } of page.body.items as Json[]) {
        if (listed.has(id)) faults.push(`${id} is listed twice`);
        listed.set(id, `${state} at ${revision}`);
        if (externalId === undefined) continue;
        if (externalIds.has(externalId)) faults.push(`externalId ${externalId} is there twice`);
        externalIds.add(externalId);
      }
      if (page.body.nextCursor === undefined) break;
      cursor = `&cursor=${encodeURIComponent(page.body.nextCursor)}`;
    }
  }
  for (const [id, { state, versions }] of wanted) {
    const right = state === 'erased' ? undefined : `${state} at ${versions.at(-1)!.revision}`;
    if (listed.get(id) !== right) faults.push(`${id} is ${right ?? 'erased'}, listed as ${listed.get(id)}`);
    listed.delete(id);
  }
  for (const id of listed.keys()) faults.push(`${id} is listed and not in the log`);
  return faults;
}
