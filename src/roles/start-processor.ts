import { observeProcessor } from '../observability/telemetry.ts';
import { ManagedProcessor } from '../processors/managed-processor.ts';
import type { ProcessManager } from '../processors/process-manager.ts';
import type { EventProcessor } from '../processors/processor.ts';
import { ProcessorRunner } from '../processors/processor-runner.ts';
import type { CommandSide } from './command-side.ts';
import type { Process } from './process.ts';

/** How long background work waits for a read model. One that is further behind is being rebuilt, or its source is down: the work is retried. */
export const readModelWaitMs = 30_000;

/** Runs a processor until the process stops. `onProgress` is called whenever its checkpoint has moved. */
export function startProcessor(
  { logger, leases, metrics, stores, cleanup }: Process,
  processor: EventProcessor,
  onProgress: () => void = () => undefined,
): void {
  const runner = new ProcessorRunner(processor, {
    leases,
    onProgress,
    onError: (error) =>
      logger.warn({ processor: processor.name, err: error }, 'an event processor failed and will retry'),
  });
  runner.start();
  cleanup.add(() => runner.stop());
  observeProcessor(metrics.meter, stores.log, runner);
}

/** The same for a process manager; `message` is logged for each event that it cannot handle. */
export function startManager(
  own: Process,
  store: CommandSide['store'],
  manager: ProcessManager,
  message: string,
  onProgress?: () => void,
): void {
  const onParked = (error: unknown) => own.logger.warn({ err: error }, message);
  startProcessor(own, new ManagedProcessor(manager, { sql: own.stores.sql, store, onParked }), onProgress);
}
