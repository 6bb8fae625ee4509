export type OperationKind = 'read' | 'write' | 'conditional' | 'delete' | 'restore';

/** What an answer said of the memory. Of a refusal only the status counts. */
export interface RegisterAnswer {
  readonly status: number;
  readonly revision: number;
  readonly value: string;
  readonly deleted: boolean;
}

/** A call on one memory, with its times in nanoseconds. Without an answer the outcome is unknown. */
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
        other.return! < read.call &&
        other.answer!.revision > 0 &&
        other.answer!.revision <= answer.revision,
    );
    if (between === undefined) continue;
    const stale = { ...read, answer: { status: 200, revision: 0, value: 'v0', deleted: false } };
    return history.with(index, stale);
  }
  return undefined;
}
