import type { CommandServices } from './commands/context.ts';
import type { FactQueue } from './commands/record-facts.ts';
import type { Embedders } from './ports/embedder.ts';
import type { ProjectionOperations } from './projections/operations.ts';
import type { MultiHopSearch } from './queries/hops/multi-hop-search.ts';
import type { ReadModels } from './queries/read-models.ts';
import type { RoutedSearch } from './queries/routing/routed-search.ts';
import type { RoutingDirectory } from './queries/routing/routing-directory.ts';
import type { TenantDirectory } from './queries/tenant-directory.ts';

/** What the API works with, put together in `app.ts`. */
export interface Services {
  readonly commands: CommandServices;
  readonly facts: FactQueue;
  readonly models: ReadModels;
  readonly search: RoutedSearch;
  readonly multiHop: MultiHopSearch;
  readonly routing: RoutingDirectory;
  /** Switched off by the configuration of this process. */
  readonly routingIsOff: boolean;
  readonly reasoningIsOff: boolean;
  readonly directory: TenantDirectory;
  readonly operations: ProjectionOperations;
  readonly embedders: Embedders;
}
