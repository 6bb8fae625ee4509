import type { CommandServices } from '../commands/context.ts';
import { CheckpointTable } from '../follow/checkpoints.ts';
import { OpenSearches } from '../queries/policies/open-searches.ts';
import { ValueReader } from '../queries/policies/value-reader.ts';
import { unlessBehind } from '../queries/read-models.ts';
import { OutcomeCloser } from '../reactors/outcome-closer.ts';
import { outcomeReactor, outcomesName } from '../reactors/outcome-reactor.ts';
import { ValueReactor } from '../reactors/value-reactor.ts';
import { WakeUp } from '../support/wake-up.ts';
import type { CommandSide } from './command-side.ts';
import { systemCommandContext, type Process } from './process.ts';
import type { ReadSide } from './read-side.ts';
import { readModelWaitMs as waitMs, startReactor, startProcessor, steadyNow } from './start-processor.ts';

interface OutcomeServices extends Pick<ReadSide, 'models'> {
  readonly services: CommandServices;
  readonly store: CommandSide['store'];
}

/**
 * Finds out what became of the answers to searches, and whether the value that memories have by it may rank. The returned object
 * fires whenever more is known of outcomes.
 */
export function startOutcomes(own: Process, { services, store, models }: OutcomeServices): WakeUp {
  const { config, stores, logger } = own;
  const open = new OpenSearches(models, config.outcomeWindowMs);
  const context = systemCommandContext('outcomes');
  const changed = new WakeUp();
  const reads = {
    reached: async (minPosition: number) =>
      void (await models.view({ projections: ['decisions'], minPosition, waitMs })),
    rowsOf: (keys: Parameters<typeof open.rowsOf>[0], minPosition: number) =>
      open.rowsOf(keys, { minPosition, waitMs }),
    early: (keys: Parameters<typeof open.early>[0], minPosition: number) =>
      open.early(keys, { minPosition, waitMs }),
    before: (search: Parameters<typeof open.before>[0], limit: number, minPosition: number) =>
      open.before(search, limit, { minPosition, waitMs }),
  };
  startReactor(
    own,
    store,
    outcomeReactor({ services, reads }, context),
    'the outcome of a search could not be followed and will be retried',
    () => changed.wake(),
  );
  const due = {
    due: (at: Date, limit: number, except: readonly string[], minPosition: number) =>
      unlessBehind(open.due(at, limit, except, { minPosition, waitMs }), []),
    lastIn: (searches: Parameters<typeof open.lastIn>[0]) => open.lastIn(searches, { waitMs }),
    nextDue: (except: readonly string[]) => open.nextDue(except),
  };
  const checkpoints = new CheckpointTable(stores.sql, outcomesName, 0);
  const reactedTo = async () => (await checkpoints.begin([store.log.logId]))[0]!.position;
  const onFailure = (error: unknown) =>
    logger.warn({ err: error }, 'the outcome of a search could not be recorded and will be retried');
  startProcessor(
    own,
    new OutcomeCloser({ services, reads: due, reactedTo, changed, now: steadyNow, onFailure }, context),
  );
  startValues(own, { services, store, models });
  return changed;
}

function startValues(own: Process, { services, store, models }: OutcomeServices): void {
  const reader = new ValueReader(models);
  const reads = {
    count: (tenant: string, minPosition: number) => reader.count(tenant, { minPosition, waitMs }),
    searches: (tenant: string, minPosition: number) => reader.searches(tenant, { minPosition, waitMs }),
  };
  const reactor = new ValueReactor({ services, reads }, systemCommandContext('values'));
  startReactor(own, store, reactor, 'the values of memories could not be compared, which will be retried');
}
