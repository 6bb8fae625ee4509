import type { ClaimEvent } from '../domain/claim/claim.ts';
import type { JsonObject } from '../domain/json.ts';
import { Problem } from '../domain/problems.ts';
import { WrongExpectedRevision, type StreamName } from '../ports/event-log.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import { claimStreamOf } from './claims.ts';
import { unsealedContext, type CommandContext, type CommandServices, type Idempotency } from './context.ts';

/**
 * What is recorded of a command: its answer, or parts of it that are recorded apart. The values name streams and never
 * change.
 */
export type RecordedPart = 'command' | 'counters' | 'plan' | 'conflicts';

/** What a command recorded that its own events do not show. */
export interface Recorded {
  /** Empty if the command is not about a memory. */
  readonly memoryId: string;
  /** Last event of the stream that the command saw. */
  readonly revision: number;
  readonly position: number;
  readonly answer?: JsonObject | undefined;
}

/**
 * How a command is recognised when it is repeated under its idempotency key: by its id in the metadata of the events it
 * appended, or by a `CommandAnswered` event in a stream of its own. Every command that may be repeated uses this record,
 * and a repetition with other arguments throws `idempotency-key-reused`.
 */
export class CommandRecord {
  /** A stream of its own for this command and part. Its first writer wins. */
  readonly stream: StreamName;
  readonly #services: CommandServices;
  readonly #context: CommandContext;
  readonly #idempotency: Idempotency;
  #last: LoadedEvent<ClaimEvent> | undefined;

  /** Undefined for a command without an idempotency key: nothing can repeat it. */
  static of(
    services: CommandServices,
    context: CommandContext,
    part: RecordedPart = 'command',
  ): CommandRecord | undefined {
    const { idempotency } = context;
    return idempotency && new CommandRecord(services, context, part, idempotency);
  }

  private constructor(
    services: CommandServices,
    context: CommandContext,
    part: RecordedPart,
    idempotency: Idempotency,
  ) {
    this.stream = claimStreamOf(services.vault, context.caller.tenant, part, idempotency.commandId);
    this.#services = services;
    this.#context = context;
    this.#idempotency = idempotency;
  }

  /** Index of the last event that the command appended to this stream; -1 if there is none. */
  lastEventIn(history: readonly LoadedEvent[]): number {
    const { commandId } = this.#idempotency;
    const index = history.findLastIndex(({ metadata }) => metadata.commandId === commandId);
    if (index >= 0) assertSameBody(history[index]!, this.#idempotency);
    return index;
  }

  async read(): Promise<Recorded | undefined> {
    const last = await this.#load();
    if (last?.event.type !== 'CommandAnswered') return undefined;
    assertSameBody(last, this.#idempotency);
    return last.event.data;
  }

  /** Like `read`, but for any arguments of the command. */
  async exists(): Promise<boolean> {
    return (await this.#load())?.event.type === 'CommandAnswered';
  }

  /** Returns false if a concurrent run of the same command has written since it was read: read again. */
  write(recorded: Recorded): Promise<boolean> {
    return this.#append({ type: 'CommandAnswered', data: recorded });
  }

  /** Makes the next run decide anew. */
  async forget(): Promise<void> {
    await this.#append({ type: 'ClaimReleased', data: { memoryId: '' } });
  }

  async #load(): Promise<LoadedEvent<ClaimEvent> | undefined> {
    this.#last = (await this.#services.store.load<ClaimEvent>(this.stream)).at(-1);
    return this.#last;
  }

  async #append(event: ClaimEvent): Promise<boolean> {
    const expected = this.#last?.revision ?? 'noStream';
    try {
      await this.#services.store.append(this.stream, expected, [event], unsealedContext(this.#context));
      return true;
    } catch (error) {
      if (error instanceof WrongExpectedRevision) return false;
      throw error;
    }
  }
}

/** Throws `idempotency-key-reused` if the event was written by a command with other arguments. */
export function assertSameBody(
  { metadata }: Pick<LoadedEvent, 'metadata'>,
  { bodyHash, plainBodyHash }: Idempotency,
): void {
  if (metadata.bodyHash === bodyHash || metadata.bodyHash === plainBodyHash) return;
  throw new Problem('idempotency-key-reused', 'this Idempotency-Key was first used with another body');
}
