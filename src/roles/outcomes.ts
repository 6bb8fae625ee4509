import type { CommandServices } from '../commands/context.ts';
import { ManagedProcessor } from '../processors/managed-processor.ts';
import { LoggedDecisions } from '../read-models/learning/logged-decisions.ts';
import { WakeUp } from '../support/wake-up.ts';
import { DecisionTable } from '../worker/decision-table.ts';
import { OutcomeCloser } from '../worker/outcome-closer.ts';
import { outcomeManager } from '../worker/outcome-manager.ts';
import type { CommandSide } from './command-side.ts';
import { systemCommandContext, type Process } from './process.ts';
import { startProcessor } from './start-processor.ts';

/** Milliseconds since 1970 by the clock at the start of the process: a clock that is set later does not end windows. */
const steadyNow = (): number => performance.timeOrigin + performance.now();

/** Finds out what became of the answers to searches. The returned object fires whenever more is known. */
export function startOutcomes(
  own: Process,
  { services, store }: { readonly services: CommandServices; readonly store: CommandSide['store'] },
): WakeUp {
  const { config, stores, logger } = own;
  const table = new DecisionTable(stores.sql, store);
  const context = systemCommandContext('outcomes');
  const changed = new WakeUp();
  const manager = outcomeManager(
    {
      services,
      table,
      decisions: new LoggedDecisions(stores.sql, store.log.logId),
      windowMs: config.outcomeWindowMs,
      now: steadyNow,
    },
    context,
  );
  const follower = new ManagedProcessor(manager, {
    sql: stores.sql,
    store,
    onParked: (error) =>
      logger.warn({ err: error }, 'the outcome of a search could not be followed and will be retried'),
  });
  startProcessor(own, follower, () => changed.wake());
  const onFailure = (error: unknown) =>
    logger.warn({ err: error }, 'the outcome of a search could not be recorded and will be retried');
  startProcessor(own, new OutcomeCloser({ services, table, changed, now: steadyNow, onFailure }, context));
  return changed;
}
