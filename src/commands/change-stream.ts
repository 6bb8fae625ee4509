import { setTimeout as sleep } from 'node:timers/promises';
import type { StratalogEvent } from '../domain/events/registry.ts';
import { Problem } from '../domain/problems.ts';
import { WrongExpectedRevision, type AppendResult, type StreamName } from '../ports/event-log.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { KeyRef } from '../ports/key-vault.ts';
import { CommandRecord } from './command-record.ts';
import { eventContext, type CommandContext, type CommandServices } from './context.ts';

/** How often a change may lose a race with other writers of the stream before the caller is told to retry. */
const maxAttempts = 20;

export interface StreamChange<Event extends StratalogEvent> {
  readonly stream: StreamName;
  /** The memory that the command is about; recorded if nothing changes. */
  readonly memoryId: string;
  /** Position that the command has read in other streams; its answer covers at least this one. */
  readonly seen?: number;
  /** Called before a repetition is answered. Throws if the caller may not change the stream. */
  readonly authorize?: (loaded: readonly LoadedEvent<Event>[]) => void;
  /** The events to append; none if nothing changes. Throws if the command is refused. */
  readonly decide: (loaded: readonly LoadedEvent<Event>[]) => readonly Event[] | Promise<readonly Event[]>;
  /** Called with the append; returns what that does, or refuses it. */
  readonly admit?: (
    loaded: readonly LoadedEvent<Event>[],
    events: readonly Event[],
    append: () => Promise<AppendResult>,
  ) => Promise<AppendResult>;
  /** The key that seals the new events. */
  readonly key?: (loaded: readonly LoadedEvent<Event>[]) => KeyRef | undefined;
}

/** The stream as the command left it. */
export interface ChangedStream<Event extends StratalogEvent> {
  readonly history: readonly Pick<
    LoadedEvent<Event>,
    'event' | 'revision' | 'position' | 'time' | 'erased'
  >[];
  readonly position: number;
  readonly replayed: boolean;
  /** True if nothing was appended, so that there is no event of the command. */
  readonly isUnchanged?: boolean;
}

/**
 * Loads the stream, decides, and appends at the exact revision; starts over if another writer was faster. A command that
 * was carried out before returns its first answer and decides nothing.
 */
export async function changeStream<Event extends StratalogEvent>(
  services: CommandServices,
  context: CommandContext,
  change: StreamChange<Event>,
): Promise<ChangedStream<Event>> {
  const { store } = services;
  const record = CommandRecord.of(services, context);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const loaded = await store.load<Event>(change.stream);
    change.authorize?.(loaded);
    const done = record && (await firstAnswer(record, loaded));
    if (done) return done;
    const events = await change.decide(loaded);
    const last = loaded.at(-1);
    if (events.length === 0) {
      const position = Math.max(last?.position ?? 0, change.seen ?? 0);
      const unchanged = { history: loaded, position, replayed: false, isUnchanged: true };
      const recorded = { memoryId: change.memoryId, revision: last?.revision ?? -1, position };
      if (!record || (await record.write(recorded))) return unchanged;
      continue;
    }
    try {
      const key = change.key?.(loaded);
      const append = () =>
        store.append(change.stream, last?.revision ?? 'noStream', events, eventContext(context, key));
      const result = await (change.admit ? change.admit(loaded, events, append) : append());
      const { position, time } = result;
      const first = result.revision - events.length + 1;
      const added = events.map((event, index) => ({
        event,
        revision: first + index,
        position,
        time,
        erased: false,
      }));
      return { history: [...loaded, ...added], position, replayed: false };
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
      await sleep(Math.random() * 5 * attempt);
    }
  }
  throw new Problem('unavailable', 'too many writers race for this stream', { retryAfter: 1 });
}

/** The first answer of a command that is repeated: from its event in the stream, or from its record if it left none. */
async function firstAnswer<Event extends StratalogEvent>(
  record: CommandRecord,
  loaded: readonly LoadedEvent<Event>[],
): Promise<ChangedStream<Event> | undefined> {
  const written = record.lastEventIn(loaded);
  if (written >= 0) {
    const { position } = loaded[written]!;
    return { history: loaded.slice(0, written + 1), position, replayed: true };
  }
  const recorded = await record.read();
  if (!recorded) return undefined;
  const { revision, position } = recorded;
  return { history: loaded.filter((event) => event.revision <= revision), position, replayed: true };
}
