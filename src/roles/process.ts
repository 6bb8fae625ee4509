import type { Logger } from 'pino';
import type { Stores } from '../backends/stores.ts';
import type { CommandContext } from '../commands/context.ts';
import type { Config } from '../config.ts';
import { systemTenant, type TenantContext } from '../domain/access/context.ts';
import type { ProcessorRunner } from '../follow/processor-runner.ts';
import type { Leases } from '../ports/leases.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Cleanup } from '../support/cleanup.ts';

/** What all roles of a process share. */
export interface Process {
  readonly config: Config;
  readonly logger: Logger;
  readonly stores: Stores;
  readonly leases: Leases;
  readonly metrics: Metrics;
  readonly cleanup: Cleanup;
  /** What follows the log in this process, or stands by to do so; read models apart. */
  readonly processors: ProcessorRunner[];
}

const noScopes = { orgs: [], teams: [], projects: [], sessions: [], agents: [] } as const;

/** The actor of changes that the program makes by itself. */
const system: TenantContext = { tenant: systemTenant, principal: 'system', roles: [], ...noScopes };

export function systemCommandContext(correlationId: string): CommandContext {
  return { caller: system, cause: 'system', correlationId };
}
