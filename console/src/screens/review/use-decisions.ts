import { useState } from 'preact/hooks';
import { useChange } from '../../app/use-ask.ts';
import type { Review, ReviewDecisions } from '@stratalog/client';
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
  /** Decides the same about these reviews as they are shown; resolves with those that the server accepted. */
  readonly decide: (
    reviews: readonly Review[],
    decision: Decision,
    details?: { readonly with?: string | undefined; readonly reason?: string | undefined },
  ) => Promise<readonly string[]>;
  readonly undo: (taken: Taken) => Promise<void>;
  /** What was decided here, newest first. */
  readonly taken: readonly Taken[];
  /** Why a decision about a review was refused, by its id. */
  readonly refusals: Readonly<Record<string, Refusal | undefined>>;
  /** The reviews that were last decided about. */
  readonly asked: readonly string[];
  readonly isRunning: boolean;
  /** Why no decision could be sent. */
  readonly error: Error | null;
}

/** Takes decisions about reviews, and remembers them so that they can be undone. */
export function useDecisions(): Decisions {
  const change = useChange('reviews.decideAll');
  const [taken, setTaken] = useState<readonly Taken[]>([]);
  const [asked, setAsked] = useState<readonly string[]>([]);
  const [refusals, setRefusals] = useState<Readonly<Record<string, Refusal | undefined>>>({});

  const send = async (
    ids: readonly string[],
    decision: Decision,
    details: Partial<ReviewDecisions>,
  ): Promise<readonly string[]> => {
    setAsked(ids);
    const answer = await change.run([{ ids, decision, ...details }]);
    if (!answer) return [];
    setRefusals((before) => ({
      ...before,
      ...Object.fromEntries(answer.items.map(({ id, problem }) => [id, problem])),
    }));
    return answer.items.filter(({ problem }) => !problem).map(({ id }) => id);
  };

  return {
    async decide(reviews, decision, details) {
      const accepted = await send(
        reviews.map(({ id }) => id),
        decision,
        {
          // What somebody else has decided meanwhile is not overwritten.
          revisions: Object.fromEntries(reviews.map(({ id, memory }) => [id, memory.revision])),
          ...(details?.with !== undefined && { with: details.with }),
          ...(details?.reason && { reason: details.reason }),
        },
      );
      if (accepted.length > 0)
        setTaken((before) => [{ ids: accepted, decision }, ...before].slice(0, remembered));
      return accepted;
    },
    async undo(one) {
      const undone = new Set(await send(one.ids, 'undo', {}));
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
    asked,
    isRunning: change.isRunning,
    error: change.error,
  };
}
