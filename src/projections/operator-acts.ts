import type { OperationEvent } from '../domain/operation/events.ts';
import { projectionStream } from '../domain/streams.ts';
import { WrongExpectedRevision } from '../ports/event-log.ts';
import type { EventContext, EventStore, LoadedEvent } from '../ports/event-store.ts';

/** The events of what operators did to projections: one of each act, however often its command is repeated. */
export class OperatorActs {
  readonly #store: EventStore;

  constructor(store: EventStore) {
    this.#store = store;
  }

  /** Appends the event of an act, unless an earlier try of its command did. Answers its position. */
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

  /** The event of the same act that an earlier try of the command wrote. */
  async recorded(
    name: string,
    context: EventContext,
    event: OperationEvent,
  ): Promise<LoadedEvent | undefined> {
    return (await this.#look(name, context, event)).before;
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
        generationOf(other.event) === generationOf(event),
    );
    return { before, last: loaded.at(-1) };
  }
}

/** Of a rebuild: the same command may begin another one where its first was lost. */
function generationOf({ data }: OperationEvent): number | undefined {
  return 'generation' in data ? data.generation : undefined;
}
