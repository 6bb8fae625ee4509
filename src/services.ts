import type { CommandServices } from './commands/context.ts';
import type { FactQueue } from './commands/record-facts.ts';
import type { Embedders } from './ports/embedder.ts';
import type { ProjectionOperations } from './projections/operations.ts';
import type { ReadModels } from './queries/read-models.ts';
import type { SearchService } from './queries/search/search.ts';
import type { TenantDirectory } from './queries/tenant-directory.ts';

/** What the API works with, put together in `app.ts`. */
export interface Services {
  readonly commands: CommandServices;
  readonly facts: FactQueue;
  readonly models: ReadModels;
  readonly search: SearchService;
  readonly directory: TenantDirectory;
  readonly operations: ProjectionOperations;
  readonly embedders: Embedders;
}
