import { LeftOut } from '../domain/what-if/left-out.ts';
import { groupBy } from '../domain/group-by.ts';
import type { EventStore } from '../ports/event-store.ts';
import { maxWhatIfEntries, type WhatIf, type WhatIfAnswer, type WhatIfRequest } from '../queries/what-if.ts';
import {
  affectedPolicies,
  compareAnswers,
  compareSummaries,
  compareValues,
  type Both,
} from './compare-without.ts';
import type { PastReadModels } from './past-read-models.ts';

/** Events that say which decisions a policy could not have learned from. */
const seen = ['SearchPerformed', 'OutcomeObserved'] as const;

/**
 * Asks questions at their positions in two copies of the read models: one with all events, and one without some. Both are filled once, and
 * go on from one position to the next. `onProgress` is called with the share that is done.
 */
export function computeWhatIf(
  { past, store }: { readonly past: PastReadModels; readonly store: EventStore },
  { tenant, without, questions }: WhatIfRequest,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (share: number) => void },
): Promise<WhatIf> {
  return past.privately(tenant, async (open, dropped) => {
    const leftOut = new LeftOut(without);
    const atPositions = [...groupBy(questions, ({ position }) => position)].sort(
      ([left], [right]) => left - right,
    );
    const last = atPositions.at(-1)![0];
    const asked = { position: last, erasedAfter: 0 };
    const copies = await Promise.all([
      open(asked),
      open({ ...asked, seen, isTaken: (event) => !leftOut.takes(event) }),
    ]);
    const ended = AbortSignal.any([signal, dropped]);
    const queriesAt = async (position: number): Promise<Both> => {
      const advance = (copy: (typeof copies)[number]['copy']) =>
        copy.advance(position, ended, () => onProgress(Math.min(...copies.map(reached)) / last));
      await Promise.all(copies.map(({ copy }) => advance(copy)));
      const [before, after] = await Promise.all(copies.map((one) => one.queries()));
      return { before: before!, after: after! };
    };
    const answers: WhatIfAnswer[] = [];
    let both: Both | undefined;
    for (const [position, own] of atPositions) {
      both = await queriesAt(position);
      for (const question of own) {
        ended.throwIfAborted();
        answers.push(await compareAnswers(both, question, leftOut));
      }
    }
    const atLast = both!;
    return {
      position: last,
      leftOut: { events: leftOut.count, memories: [...leftOut.memories].slice(0, maxWhatIfEntries) },
      answers: questions.map((question) => answers.find((answer) => isOf(answer, question))!),
      summaries: await compareSummaries(atLast, tenant, leftOut),
      policies: await affectedPolicies(store, tenant, last, leftOut),
      values: await compareValues(atLast, tenant, leftOut),
    };
  });
}

const reached = ({ copy }: { readonly copy: { readonly position: number } }): number => copy.position;

const isOf = (
  answer: WhatIfAnswer,
  question: { readonly searchId?: string | undefined; readonly position: number },
): boolean => answer.searchId === question.searchId && answer.position === question.position;
