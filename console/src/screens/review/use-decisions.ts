import { useState } from 'preact/hooks';
import { useChange } from '../../app/use-ask.ts';
import type { Decision } from './decisions.ts';

/** How many decisions can be taken back from the list. */
const remembered = 5;

/** A decision that can be taken back. */
export interface Taken {
  readonly ids: readonly string[];
  readonly decision: Decision;
}

/** Why the server refused a decision. */
export interface Refusal {
  readonly code: string;
  readonly detail: string;
}

export interface Decisions {
  /** Decides the same about these reviews; resolves with those that the server accepted. */
  readonly decide: (
    ids: readonly string[],
    decision: Decision,
    details?: { readonly with?: string | undefined; readonly reason?: string | undefined },
  ) => Promise<readonly string[]>;
  readonly undo: (taken: Taken) => Promise<void>;
  /** What was decided here, newest first. */
  readonly taken: readonly Taken[];
  /** Why a decision about a review was refused, by its id. */
  readonly refusals: Readonly<Record<string, Refusal | undefined>>;
  readonly isRunning: boolean;
  /** Why no decision could be sent. */
  readonly error: Error | null;
}

/** Takes decisions about reviews, and remembers them so that they can be undone. */
export function useDecisions(): Decisions {
  const change = useChange('reviews.decideAll');
  const [taken, setTaken] = useState<readonly Taken[]>([]);
  const [refusals, setRefusals] = useState<Readonly<Record<string, Refusal | undefined>>>({});

  const send: Decisions['decide'] = async (ids, decision, details = {}) => {
    const answer = await change.run([
      {
        ids,
        decision,
        ...(details.with !== undefined && { with: details.with }),
        ...(details.reason && { reason: details.reason }),
      },
    ]);
    if (!answer) return [];
    setRefusals((before) => ({
      ...before,
      ...Object.fromEntries(answer.items.map(({ id, problem }) => [id, problem])),
    }));
    return answer.items.filter(({ problem }) => !problem).map(({ id }) => id);
  };

  return {
    async decide(ids, decision, details) {
      const accepted = await send(ids, decision, details);
      if (accepted.length > 0)
        setTaken((before) => [{ ids: accepted, decision }, ...before].slice(0, remembered));
      return accepted;
    },
    async undo(one) {
      const undone = new Set(await send(one.ids, 'undo'));
      setTaken((before) =>
        before.flatMap((other) => {
          if (other !== one) return [other];
          const ids = one.ids.filter((id) => !undone.has(id));
          return ids.length === 0 ? [] : [{ ...one, ids }];
        }),
      );
    },
    taken,
    refusals,
    isRunning: change.isRunning,
    error: change.error,
  };
}
