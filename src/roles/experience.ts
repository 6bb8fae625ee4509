import type { CommandServices } from '../commands/context.ts';
import { ManagedProcessor } from '../processors/managed-processor.ts';
import { TraceMemoriesTable } from '../worker/trace-memories-table.ts';
import { traceManager } from '../worker/trace-manager.ts';
import type { CommandSide } from './command-side.ts';
import { systemCommandContext, type Process } from './process.ts';
import { startProcessor } from './start-processor.ts';

/** Follows the attempts that callers record. */
export function startExperience(
  own: Process,
  { services, store }: { readonly services: CommandServices; readonly store: CommandSide['store'] },
): void {
  const { sql } = own.stores;
  const table = new TraceMemoriesTable(sql, store);
  const manager = traceManager({ services, table }, systemCommandContext('traces'));
  const onParked = (error: unknown) =>
    own.logger.warn({ err: error }, 'the erasure of a trace failed and will be retried');
  startProcessor(own, new ManagedProcessor(manager, { sql, store, onParked }));
}
