import type { CommandServices } from './commands/context.ts';
import type { FactQueue } from './commands/record-facts.ts';
import type { Config } from './config.ts';
import type { ProjectionOperations } from './projections/operations.ts';
import type { ReadModels } from './queries/read-models.ts';
import type { SearchService } from './queries/search/search.ts';
import type { TenantDirectory } from './queries/tenant-directory.ts';

/** What the outer rooms (HTTP, CLI) work with, put together in `app.ts`. */
export interface Services {
  readonly config: Config;
  readonly commands: CommandServices;
  readonly facts: FactQueue;
  readonly models: ReadModels;
  readonly search: SearchService;
  readonly directory: TenantDirectory;
  readonly operations: ProjectionOperations;
  /** Resolves when the log and the read models answer; rejects with what does not. */
  readonly ready: () => Promise<Readiness>;
}

export interface Readiness {
  readonly status: 'ready' | 'starting' | 'draining' | 'unavailable';
  readonly profile: string;
  readonly identity: 'development' | 'credentials';
  readonly log: { readonly head: number } | { readonly error: string };
  readonly projections: readonly {
    readonly name: string;
    readonly position: number;
    readonly lag: number;
    /** Which process keeps it up with the log. */
    readonly lock: 'here' | 'elsewhere' | 'free';
    readonly parked: number;
  }[];
}
