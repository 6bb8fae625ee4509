import { observeProcessor } from '../observability/telemetry.ts';
import { ReactorProcessor } from '../follow/reactor-processor.ts';
import type { Reactor } from '../follow/reactor.ts';
import type { EventProcessor } from '../follow/processor.ts';
import { ProcessorRunner } from '../follow/processor-runner.ts';
import type { CommandSide } from './command-side.ts';
import type { Process } from './process.ts';

/** How long background work waits for a read model. One that is further behind is being rebuilt, or its source is down: the work is retried. */
export const readModelWaitMs = 30_000;

/** Milliseconds since 1970 by the clock at the start of the process: a clock that is set later does not end windows. */
export const steadyNow = (): number => performance.timeOrigin + performance.now();

/** Runs a processor until the process stops. `onProgress` is called whenever its checkpoint has moved. */
export function startProcessor(
  { logger, leases, metrics, stores, cleanup, processors }: Process,
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
  processors.push(runner);
  cleanup.add(() => runner.stop());
  observeProcessor(metrics.meter, stores.log, runner);
}

/** Runs a reactor until the process stops; `message` is logged for each event that it cannot handle. */
export function startReactor(
  own: Process,
  store: CommandSide['store'],
  reactor: Reactor,
  message: string,
  onProgress?: () => void,
): void {
  const onParked = (error: unknown) => own.logger.warn({ err: error }, message);
  startProcessor(own, new ReactorProcessor(reactor, { sql: own.stores.sql, store, onParked }), onProgress);
}
