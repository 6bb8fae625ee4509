import type { CommandServices } from '../commands/context.ts';
import { WakeUp } from '../support/wake-up.ts';
import { DecisionTable } from '../reactors/decision-table.ts';
import { OutcomeCloser } from '../reactors/outcome-closer.ts';
import { outcomeReactor } from '../reactors/outcome-reactor.ts';
import { ValueReactor } from '../reactors/value-reactor.ts';
import { ValueReader } from '../queries/policies/value-reader.ts';
import type { CommandSide } from './command-side.ts';
import { systemCommandContext, type Process } from './process.ts';
import type { ReadSide } from './read-side.ts';
import { readModelWaitMs as waitMs, startReactor, startProcessor } from './start-processor.ts';

/** Milliseconds since 1970 by the clock at the start of the process: a clock that is set later does not end windows. */
const steadyNow = (): number => performance.timeOrigin + performance.now();

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
  const table = new DecisionTable(stores.sql, store);
  const context = systemCommandContext('outcomes');
  const changed = new WakeUp();
  const reactor = outcomeReactor(
    {
      services,
      table,
      windowMs: config.outcomeWindowMs,
      now: steadyNow,
    },
    context,
  );
  startReactor(own, store, reactor, 'the outcome of a search could not be followed and will be retried', () =>
    changed.wake(),
  );
  const onFailure = (error: unknown) =>
    logger.warn({ err: error }, 'the outcome of a search could not be recorded and will be retried');
  startProcessor(own, new OutcomeCloser({ services, table, changed, now: steadyNow, onFailure }, context));
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
