import type { StratalogEvent } from '../../domain/events/registry.ts';
import {
  LogUnavailable,
  type AppendResult,
  type ClaimAppend,
  type EventLog,
  type ExpectedRevision,
  type LogPage,
  type ReadAllOptions,
  type RecordedEvent,
  type StoredEvent,
  type StreamName,
  type SubscribeOptions,
} from '../../ports/event-log.ts';
import type {
  Claim,
  EventContext,
  EventMetadata,
  EventStore,
  LoadedEvent,
  LoadedPage,
  OpenedEvents,
  Reading,
  UnreadableEvent,
} from '../../ports/event-store.ts';
import { KeyTaken, type DataKey, type KeyVault, type NewKey } from '../../ports/key-vault.ts';
import { TimeSlice } from '../../support/time-slice.ts';
import { retry } from '../../support/resilience/retry.ts';
import { newId } from '../random.ts';
import { decode, encode, metadataOf } from './codec.ts';

/** For appends whose outcome is unknown; they are repeated with the same ids. */
const retries = { attempts: 4, firstMs: 50, factor: 4, longestMs: 800 };

/** The typed, encrypted view of `log`: encrypts events on append and decrypts them on read, with the keys of `vault`. */
export class SealedEventStore implements EventStore {
  readonly log: EventLog;
  readonly #vault: KeyVault;

  constructor(log: EventLog, vault: KeyVault) {
    this.log = log;
    this.#vault = vault;
  }

  async append(
    stream: StreamName,
    expected: ExpectedRevision,
    events: readonly StratalogEvent[],
    given: EventContext,
    claim?: Claim,
  ): Promise<AppendResult> {
    const context = given.key?.renewable ? { ...given, key: await this.#vault.renewed(given.key) } : given;
    const carried = await this.#carriedClaim(context, claim);
    const metadata = metadataOfContext(context);
    const reason = context.reason !== undefined && { reason: context.reason };
    const identified = events.map((event) => ({ id: newId(), event }));
    const seal = (key?: DataKey) =>
      identified.map(({ id, event }) =>
        encode(id, stream, event, metadata, { ...(key && { key }), ...reason }),
      );
    if (context.key && context.keyIsNew && this.log.takesKeys) {
      const fresh = await this.#vault.draft(context.key);
      try {
        const result = await this.#appendPersistently(stream, expected, seal(fresh.key), fresh, carried);
        this.#vault.stored(fresh);
        return result;
      } catch (error) {
        // An earlier attempt of this command stored the key.
        if (!(error instanceof KeyTaken)) throw error;
      }
    }
    const key = context.key && (await this.#vault.ensure(context.key));
    return this.#appendPersistently(stream, expected, seal(key), undefined, carried);
  }

  /** The claim in the form that an append takes; appends it first where the log takes none. */
  async #carriedClaim(context: EventContext, claim: Claim | undefined): Promise<ClaimAppend | undefined> {
    if (!claim) return undefined;
    const { stream, expected } = claim;
    const { keyId: _, subject: __, ...metadata } = metadataOfContext(context);
    const events = claim.events.map((event) => encode(newId(), stream, event, metadata, {}));
    if (this.log.takesClaims) return { stream, expected, events };
    await this.#appendPersistently(stream, expected, events);
    return undefined;
  }

  async load<Event extends StratalogEvent>(stream: StreamName, from = 0): Promise<LoadedEvent<Event>[]> {
    return this.#openAll<Event>(await this.log.readStream(stream, { from }));
  }

  async loadLast<Event extends StratalogEvent>(
    stream: StreamName,
    limit: number,
    from?: number,
  ): Promise<LoadedEvent<Event>[]> {
    const range = { direction: 'backwards', limit, ...(from !== undefined && { from }) } as const;
    return this.#openAll<Event>(await this.log.readStream(stream, range));
  }

  async loadOne(stream: StreamName, revision: number, reading?: Reading): Promise<LoadedEvent | undefined> {
    const recorded = await this.log.readStream(stream, { from: revision, limit: 1 });
    const { events, unreadable } = await this.open(
      recorded.filter((event) => event.revision === revision),
      reading,
    );
    if (unreadable[0]) throw unreadable[0].error;
    return events[0];
  }

  async #openAll<Event extends StratalogEvent>(
    recorded: readonly RecordedEvent[],
  ): Promise<LoadedEvent<Event>[]> {
    const { events, unreadable } = await this.open(recorded);
    if (unreadable[0]) throw unreadable[0].error;
    return events as LoadedEvent<Event>[];
  }

  async readAll({ routingOnly, ...options }: ReadAllOptions & Reading): Promise<LoadedPage> {
    return this.#openPage(await this.log.readAll(options), { routingOnly });
  }

  async *subscribe({ routingOnly, ...options }: SubscribeOptions & Reading): AsyncGenerator<LoadedPage> {
    for await (const page of this.log.subscribe(options)) yield await this.#openPage(page, { routingOnly });
  }

  async open(
    recorded: readonly RecordedEvent[],
    { routingOnly = false }: Reading = {},
  ): Promise<OpenedEvents> {
    const metadata = recorded.map(readMetadata);
    const sealed = routingOnly ? [] : metadata.flatMap((read) => (read instanceof Error ? [] : [read]));
    const keys = await this.#keysOf(sealed);
    const events: LoadedEvent[] = [];
    const unreadable: UnreadableEvent[] = [];
    const slice = new TimeSlice();
    for (const [index, event] of recorded.entries()) {
      if (slice.isUsedUp) await slice.yield();
      const read = metadata[index]!;
      try {
        if (read instanceof Error) throw read;
        const key = routingOnly ? 'unread' : keys.get(read.tenant)?.get(read.keyId ?? '');
        events.push(decode(event, read, key));
      } catch (cause) {
        const { stream, revision, position, type } = event;
        const error = new Error(`${stream}@${revision} (${type}) cannot be read`, { cause });
        unreadable.push({ stream, revision, position, type, error });
      }
    }
    return { events, unreadable };
  }

  async #appendPersistently(
    stream: StreamName,
    expected: ExpectedRevision,
    events: readonly StoredEvent[],
    newKey?: NewKey,
    claim?: ClaimAppend,
  ): Promise<AppendResult> {
    return retry(() => this.log.append(stream, expected, events, newKey, claim), {
      ...retries,
      isRetryable: (error) => error instanceof LogUnavailable,
    });
  }

  async #openPage(page: LogPage, reading: Reading): Promise<LoadedPage> {
    return { ...(await this.open(page.events, reading)), scannedTo: page.scannedTo };
  }

  async #keysOf(
    metadata: readonly EventMetadata[],
  ): Promise<Map<string, Map<string, DataKey | 'destroyed'>>> {
    const idsByTenant = new Map<string, Set<string>>();
    for (const { tenant, keyId } of metadata) {
      if (keyId === undefined) continue;
      const ids = idsByTenant.get(tenant) ?? new Set();
      idsByTenant.set(tenant, ids.add(keyId));
    }
    const keys = new Map<string, Map<string, DataKey | 'destroyed'>>();
    for (const [tenant, ids] of idsByTenant) keys.set(tenant, await this.#vault.open(tenant, [...ids]));
    return keys;
  }
}

function readMetadata(recorded: RecordedEvent): EventMetadata | Error {
  try {
    return metadataOf(recorded);
  } catch (error) {
    return error as Error;
  }
}

function metadataOfContext({
  key,
  keyIsNew: _,
  reason: __,
  ...rest
}: EventContext): Omit<EventMetadata, 'hash'> {
  return { ...rest, ...(key && { keyId: key.id, subject: key.subject }) };
}
