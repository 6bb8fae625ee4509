import type { Router } from '@koa/router';
import type { Context } from 'koa';
import type { Authenticator } from '../api/identity/authenticate.ts';
import { seesFigures } from '../api/admin/roles.ts';
import type { TenantContext } from '../domain/access/context.ts';
import { Problem } from '../domain/problems.ts';
import { statesOf, type Readiness } from '../observability/readiness.ts';
import type { Metrics } from '../ports/metrics.ts';
import { inBackground } from '../support/background.ts';
import { abandonAfter } from '../support/resilience/time-limit.ts';
import { identify } from './serve-operation.ts';

/** Where the metrics are, and who may read them there. */
export type MetricsAccess =
  /** Everyone who reaches this port. */
  | 'open'
  /** Callers with a key of role operator, auditor or admin. */
  | 'key'
  /** They have a port of their own. */
  | 'elsewhere';

export interface Health {
  readonly ready: () => Promise<Readiness>;
  readonly metrics: Metrics;
  readonly metricsAccess: MetricsAccess;
  /** The token of a position for a caller; absent on a port without the API. */
  readonly positionOf?: (caller: TenantContext, position: number) => string;
}

/** A probe must not wait for a database that hangs. */
const identityMs = 1_000;

/**
 * Adds the routes of health and metrics. Runs in the background: probes and scrapes arrive all the time, and upkeep that waits for an
 * idle moment must not wait for them. Without an authenticator, the port has nothing else, and who reaches it may read everything.
 */
export function serveHealth(router: Router, health: Health, authenticator: Authenticator | undefined): void {
  const { ready, metrics, metricsAccess } = health;
  router.get('/livez', (koa) => {
    koa.body = { status: 'alive' };
  });
  router.get('/readyz', async (koa: Context) => {
    const [readiness, caller] = await Promise.all([
      inBackground(ready),
      authenticator && callerOf(koa, authenticator),
    ]);
    koa.status = readiness.status === 'ready' ? 200 : 503;
    if (koa.status === 503) koa.set('Retry-After', '2');
    const showsAll = !authenticator || (caller && seesFigures(caller));
    const { log } = readiness;
    const position = caller && 'head' in log ? health.positionOf?.(caller, log.head) : undefined;
    if (!showsAll) koa.body = statesOf(readiness, position);
    else koa.body = position === undefined ? readiness : { ...readiness, log: { ...log, position } };
  });
  if (metricsAccess === 'elsewhere') return;
  router.get('/metrics', async (koa: Context) => {
    if (metricsAccess === 'key' && authenticator) await assertSeesFigures(koa, authenticator);
    koa.type = metrics.contentType;
    koa.body = await inBackground(() => metrics.text());
  });
}

async function assertSeesFigures(koa: Context, authenticator: Authenticator): Promise<void> {
  const { caller } = await identify(koa, authenticator);
  if (!seesFigures(caller))
    throw new Problem('forbidden', 'metrics need the role operator, auditor or admin');
}

/** The caller of a probe; undefined if it sends no credential, or if credentials cannot be checked now. */
async function callerOf(koa: Context, authenticator: Authenticator): Promise<TenantContext | undefined> {
  try {
    return (await abandonAfter(identityMs, () => identify(koa, authenticator))).caller;
  } catch (error) {
    const isWrong = error instanceof Problem && error.code === 'unauthenticated';
    if (isWrong && koa.get('authorization') !== '') throw error;
    return undefined;
  }
}
