import { decisions, earlyOutcomes, outcomePosters, sessionEnds } from '../../read-models/decisions.ts';
import { digestOfAll } from '../../read-models/digest.ts';
import { declaredBy, type Projection } from '../projection.ts';
import { DecisionFold, type Followed, type FoldServices } from './decision-fold.ts';

/** What learning needs to know of searches. Which of them have a session and no choice depends on when they were no longer needed. */
export function decisionsProjection(services: FoldServices): Projection {
  return {
    name: 'decisions',
    version: 1,
    ordered: true,
    handles: ['SearchPerformed', 'ContextAssembled', 'OutcomeObserved', 'SessionEnded', 'PolicyUpdated'],
    ...declaredBy(decisions, sessionEnds, earlyOutcomes, outcomePosters),
    async plan(events, executor, tables) {
      const fold = new DecisionFold(services, executor, tables);
      await fold.load(events as readonly Followed[]);
      for (const event of events as readonly Followed[]) await fold.take(event);
      return fold.write;
    },
    holds: { nothing: 'ids, times and outcomes of searches' },
    digest: (tables) =>
      digestOfAll(decisions.digest(tables), earlyOutcomes.digest(tables), outcomePosters.digest(tables)),
  };
}
