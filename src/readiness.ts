import { setTimeout as sleep } from 'node:timers/promises';
import type { BackEndHealth, BackEndStates } from './backends/health.ts';
import type { Config, ProcessRole } from './config.ts';
import type { EventLog } from './ports/event-log.ts';
import type { LeaseHolder } from './ports/leases.ts';
import type { ProjectionOperations } from './projections/operations.ts';
import { parkedInLive } from './projections/status.ts';
import type { Relay, RelayStatus } from './relay/relay.ts';

/** What a process says of itself to whatever keeps it running. */
export interface Readiness {
  readonly status: 'ready' | 'draining' | 'unavailable';
  readonly profile: string;
  readonly roles: readonly ProcessRole[];
  readonly identity: 'development' | 'credentials';
  readonly log: { readonly head: number } | { readonly error: string };
  readonly projections: readonly {
    readonly name: string;
    readonly position: number;
    readonly lag: number;
    /** Which process keeps it up with the log. */
    readonly lock: LeaseHolder | 'free';
    readonly parked: number;
  }[];
  /** The relay of this process. */
  readonly relay?: RelayStatus;
  readonly backEnds: BackEndStates;
}

export interface ReadinessSources {
  readonly config: Config;
  readonly status: () => Readiness['status'];
  readonly backEnds: BackEndHealth;
  readonly log: EventLog;
  readonly operations?: ProjectionOperations | undefined;
  readonly relay?: Relay | undefined;
  /** Whether the development identity is open here. */
  readonly development: () => Promise<boolean>;
}

/** A server that is frozen answers nothing at all, not even a refusal. */
const readinessMs = 3_000;

/** What a role cannot do its work without. While Kafka or OpenSearch is away, an api process goes on and says so. */
const needs: Readonly<Record<ProcessRole, readonly string[]>> = {
  api: ['eventstore', 'postgres'],
  worker: ['eventstore', 'postgres'],
  relay: ['eventstore', 'postgres', 'kafka'],
  projector: ['eventstore', 'postgres', 'kafka', 'opensearch'],
};

/** Whether this process can do its work, and how far it is. Resolves in any case, within 3 s. */
export async function readiness(sources: ReadinessSources): Promise<Readiness> {
  const { config, status } = sources;
  const { profile, roles } = config;
  const silence = sleep(readinessMs, undefined, { ref: false }).then(() => {
    throw new Error('no answer in time');
  });
  const states = Promise.race([sources.backEnds.states(), silence]).catch((): BackEndStates => ({}));
  try {
    const known = await Promise.race([stateOf(sources), silence]);
    const backEnds = await states;
    const needed = roles.flatMap((role) => needs[role]);
    // A process with several roles is ready while its api is.
    const lacking = (roles.includes('api') ? needs.api : needed).filter(
      (name) => backEnds[name]?.state === 'down',
    );
    return { status: lacking.length > 0 ? 'unavailable' : status(), profile, roles, ...known, backEnds };
  } catch {
    return {
      status: 'unavailable',
      profile,
      roles,
      identity: 'credentials',
      log: { error: 'the log does not answer' },
      projections: [],
      backEnds: await states,
    };
  }
}

async function stateOf({
  log,
  operations,
  relay,
  development,
}: ReadinessSources): Promise<Pick<Readiness, 'identity' | 'log' | 'projections' | 'relay'>> {
  const identity = (await development()) ? 'development' : 'credentials';
  const head = await log.head();
  const projections = ((await operations?.status()) ?? []).map((state) => {
    const live = state.generations.find(({ active }) => active);
    const { position = 0, lag = head, lock = 'free' } = live ?? {};
    return { name: state.name, position, lag, lock, parked: parkedInLive(state).length };
  });
  return { identity, log: { head }, projections, ...(relay && { relay: await relay.status() }) };
}
