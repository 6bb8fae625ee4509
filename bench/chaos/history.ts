import type { LogEvent } from '../../test/support/log-reader.ts';

export type OperationKind = 'read' | 'write' | 'conditional' | 'delete' | 'restore';

/** What an answer, or the log, said of the memory. Of a refusal only the status counts. */
export interface RegisterAnswer {
  readonly status: number;
  readonly revision: number;
  /** The log alone does not tell it of a deletion. */
  readonly value?: string;
  readonly deleted: boolean;
}

/**
 * A call on one memory, with its times in nanoseconds. Without `answer` the outcome is unknown; without `return` it takes effect
 * at any time after its call.
 */
export interface Operation {
  readonly client: number;
  readonly memory: string;
  readonly kind: OperationKind;
  /** What a write stores. */
  readonly value?: string;
  /** The revision that a conditional write names. */
  readonly expected?: number;
  readonly call: number;
  readonly return?: number;
  readonly answer?: RegisterAnswer;
  /** Ids of its attempts, which its event in the log names. */
  readonly requestIds?: readonly string[];
}

/**
 * The history with what the log says of calls without an answer. Those that are not in the log had no effect, and are left out: any
 * order of them would be possible, and a checker would have to try all.
 */
export function settledBy(events: readonly LogEvent[], history: readonly Operation[]): Operation[] {
  // A command also writes to streams beside the memory, such as the claim of its text.
  const ofMemories = events.filter(({ stream }) => stream.startsWith('memory-'));
  const written = new Map(ofMemories.map((event) => [event.correlationId, event]));
  return history.flatMap((operation): Operation[] => {
    if (operation.answer) return [operation];
    const { kind, value, requestIds = [] } = operation;
    const event = requestIds.map((id) => written.get(id)).find((found) => found !== undefined);
    if (event === undefined) return [];
    const { revision } = event;
    const answer = {
      status: 200,
      revision,
      deleted: kind === 'delete',
      ...(value !== undefined && { value }),
    };
    return [{ ...operation, answer }];
  });
}

/**
 * The history with one read that answers a state which was already replaced when the read began. A checker that accepts it checks
 * nothing. Undefined if the history has no place for it.
 */
export function withStaleRead(history: readonly Operation[]): Operation[] | undefined {
  const written = history.filter(({ kind, answer }) => kind !== 'read' && answer?.status === 200);
  for (const [index, read] of history.entries()) {
    if (read.kind !== 'read' || read.answer?.status !== 200) continue;
    const { answer } = read;
    const between = written.find(
      (other) =>
        other.memory === read.memory &&
        other.return !== undefined &&
        other.return < read.call &&
        other.answer!.revision > 0 &&
        other.answer!.revision <= answer.revision,
    );
    if (between === undefined) continue;
    const stale = { ...read, answer: { status: 200, revision: 0, value: 'v0', deleted: false } };
    return history.with(index, stale);
  }
  return undefined;
}
