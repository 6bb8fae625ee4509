import type { MemoryEvent } from '../../domain/memory/events.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import type { Tables } from '../../read-models/table.ts';
import { ofMemory, rowsWith } from '../holding.ts';
import { memoryEvents, rowsOf } from '../memory-rows.ts';
import { declaredBy, type Projection } from '../projection.ts';
import { together, type Write } from '../write.ts';
import {
  changesOf,
  contributions,
  writeContributions,
  type FieldContributions,
} from './field-contributions.ts';
import { fieldSums, sumsOf, writeSums } from './sums.ts';

/**
 * The values of memory fields and how many active memories have them, separately for each audience: what a planner can know about a
 * tenant. A value that no memory has any more is deleted.
 */
export const fields: Projection = {
  name: 'fields',
  version: 2,
  handles: memoryEvents,
  ...declaredBy(fieldSums, contributions),
  plan,
  holds: (tables) => rowsWith([tables(contributions.name), ofMemory]),
};

async function plan(events: readonly LoadedEvent[], executor: SqlExecutor, tables: Tables): Promise<Write> {
  const facts = events as readonly LoadedEvent<MemoryEvent>[];
  const before = await rowsOf(facts, executor, tables, contributions);
  const changes = await changesOf(facts, before as ReadonlyMap<string, FieldContributions>);
  return together(writeContributions(changes, tables), writeSums(await sumsOf(changes), tables));
}
