import type { Projection } from '../../src/projections/projection.ts';
import { Generation } from '../../src/projections/generation.ts';
import { ensureLive } from '../../src/projections/generations.ts';
import { ReadModels } from '../../src/queries/read-models.ts';
import { WakeUp } from '../../src/support/wake-up.ts';
import type { TestStore } from './event-store.ts';
import { follow } from './read-models.ts';

/** The first generation of a read model, which follows the log of the test when it is told to. */
export interface LiveReadModel {
  readonly models: ReadModels;
  /** Name of a table of the generation. */
  readonly table: (name: string) => string;
  /** Applies the log up to its head. */
  follow(): Promise<void>;
  digest(): Promise<string>;
}

export async function beginReadModel(test: TestStore, projection: Projection): Promise<LiveReadModel> {
  await ensureLive(test.sql, projection);
  const generation = new Generation(test.sql, projection, 1);
  return {
    models: new ReadModels(test.sql, new WakeUp()),
    table: generation.tables,
    follow: () => follow(test, generation, () => 500),
    digest: () => generation.digest(),
  };
}
