import type { OperationEvent } from '../domain/operation/events.ts';
import { projectionStream } from '../domain/streams.ts';
import { WrongExpectedRevision } from '../ports/event-log.ts';
import type { EventContext, EventStore, LoadedEvent } from '../ports/event-store.ts';

/** Records what operators do to projections: one event for each operation, however often its command is repeated. */
export class OperatorActs {
  readonly #store: EventStore;

  constructor(store: EventStore) {
    this.#store = store;
  }

  /** Appends the event of an operation, unless an earlier attempt of its command did. Returns its position. */
  async record(name: string, context: EventContext, event: OperationEvent): Promise<number> {
    for (;;) {
      const { before, last } = await this.#look(name, context, event);
      if (before) return before.position;
      const expected = context.commandId === undefined ? 'any' : (last?.revision ?? 'noStream');
      try {
        return (await this.#store.append(projectionStream(name), expected, [event], context)).position;
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision)) throw error;
      }
    }
  }

  /** The event of the same operation that an earlier attempt of the command wrote. */
  async recorded(
    name: string,
    context: EventContext,
    event: OperationEvent,
  ): Promise<LoadedEvent | undefined> {
    return (await this.#look(name, context, event)).before;
  }

  /** The generations that earlier attempts of the command began to build. */
  async generationsBegun(name: string, commandId: string): Promise<number[]> {
    const loaded = await this.#store.load<OperationEvent>(projectionStream(name));
    return loaded.flatMap(({ event, metadata }) =>
      event.type === 'ProjectionRebuildBegun' && metadata.commandId === commandId
        ? [event.data.generation]
        : [],
    );
  }

  async #look(
    name: string,
    { commandId }: EventContext,
    event: OperationEvent,
  ): Promise<{ readonly before?: LoadedEvent | undefined; readonly last?: LoadedEvent | undefined }> {
    if (commandId === undefined) return {};
    const loaded = await this.#store.load<OperationEvent>(projectionStream(name));
    const before = loaded.find(
      (other) =>
        other.metadata.commandId === commandId &&
        other.event.type === event.type &&
        objectOf(other.event) === objectOf(event),
    );
    return { before, last: loaded.at(-1) };
  }
}

/**
 * What an operation is about: a generation or a stream. Operations of one command can differ in it: a command whose rebuild was lost
 * begins another one, and a command that was rejected may be repeated with another stream, or find another generation to switch to.
 */
function objectOf({ data }: OperationEvent): number | string | undefined {
  if ('generation' in data) return data.generation;
  if ('to' in data) return data.to;
  return 'stream' in data ? data.stream : undefined;
}
