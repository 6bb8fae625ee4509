import { decisions, earlyOutcomes, outcomePosters, sessionEnds } from '../../read-models/decisions.ts';
import { digestOfAll } from '../../read-models/digest.ts';
import type { Projection } from '../projection.ts';
import { DecisionFold, type Followed, type FoldServices } from './decision-fold.ts';

const tables = [decisions, sessionEnds, earlyOutcomes, outcomePosters];

/** What learning needs to know of searches. Which of them have a session and no choice depends on when they were no longer needed. */
export function decisionsProjection(services: FoldServices): Projection {
  return {
    name: 'decisions',
    version: 1,
    ordered: true,
    handles: ['SearchPerformed', 'ContextAssembled', 'OutcomeObserved', 'SessionEnded', 'PolicyUpdated'],
    tables: tables.map(({ name }) => name),
    create: (names) => tables.flatMap((table) => table.create(names)),
    async plan(events, executor, names) {
      const fold = new DecisionFold(services, executor, names);
      await fold.load(events as readonly Followed[]);
      for (const event of events as readonly Followed[]) await fold.take(event);
      return fold.write;
    },
    holds: { nothing: 'ids, times and outcomes of searches' },
    digest: (names) =>
      digestOfAll(
        decisions.digest(names, 'choice is not null'),
        earlyOutcomes.digest(names),
        outcomePosters.digest(names),
      ),
  };
}
