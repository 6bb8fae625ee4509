import { observeProcessor } from '../observability/telemetry.ts';
import type { EventProcessor } from '../processors/processor.ts';
import { ProcessorRunner } from '../processors/processor-runner.ts';
import type { Process } from './process.ts';

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
