import type { BackEndHealth, BackEndStates } from '../backends/health.ts';
import type { Config } from '../config.ts';
import { positionToken } from '../domain/position.ts';
import type { ProcessRole } from '../profiles.ts';
import { variantOf } from '../read-models/generation-variant.ts';
import type { Embedders } from '../ports/embedder.ts';
import type { EventLog } from '../ports/event-log.ts';
import type { LeaseHolder } from '../ports/leases.ts';
import type { ProjectionOperations } from '../projections/operations.ts';
import { parkedInLive, type ProjectionStatus } from '../projections/status.ts';
import type { Relay, RelayStatus } from '../relay/relay.ts';
import { abandonAfter } from '../support/resilience/time-limit.ts';

/** The answer of `/readyz`. */
export interface Readiness {
  readonly status: 'ready' | 'draining' | 'unavailable';
  readonly profile: string;
  readonly roles: readonly ProcessRole[];
  readonly identity: 'development' | 'credentials';
  /** `position` is the head as a position token, for use as `minPosition`. */
  readonly log: { readonly head: number; readonly position: string } | { readonly error: string };
  readonly projections: readonly {
    readonly name: string;
    readonly position: number;
    readonly lag: number;
    /** Which process applies new events to it. */
    readonly lock: LeaseHolder | 'free';
    readonly parked: number;
  }[];
  /** The reactors, such as the one that completes erasures. */
  readonly reactors: Readiness['projections'];
  /** The relay of this process. */
  readonly relay?: RelayStatus;
  /** Whether lines of bulk stores are held back, because the vectors lag; absent without the role `api`. */
  readonly bulkStores?: 'open' | 'held-back';
  readonly backEnds: BackEndStates;
  /** The model of the live vectors: while it is down, searches use words alone. */
  readonly embedder?: EmbedderState;
}

/** What everyone is told: states without figures, positions, addresses and reasons. */
export interface ReadinessStates extends Pick<Readiness, 'status' | 'profile' | 'roles' | 'identity'> {
  readonly log: { readonly state: 'up' | 'down'; readonly position?: string };
  readonly projections: readonly { readonly name: string; readonly state: 'following' | 'parked' }[];
  readonly reactors: ReadinessStates['projections'];
  readonly relay?: Pick<RelayStatus, 'state'>;
  readonly backEnds: Readonly<Record<string, { readonly state: 'up' | 'down' }>>;
  readonly embedder?: Pick<EmbedderState, 'model' | 'state'>;
}

export type EmbedderState =
  | { readonly model: string; readonly state: 'up' }
  | { readonly model: string; readonly state: 'down'; readonly error: string; readonly since?: string };

export interface ReadinessSources {
  readonly config: Config;
  readonly status: () => Readiness['status'];
  readonly backEnds: BackEndHealth;
  readonly log: EventLog;
  readonly operations?: ProjectionOperations | undefined;
  readonly embedders?: Embedders | undefined;
  readonly relay?: Relay | undefined;
  readonly bulkStores?: (() => Promise<'open' | 'held-back'>) | undefined;
  /** Whether requests without a credential get the development identity. */
  readonly development: () => Promise<boolean>;
}

/** Time limit, because a server that hangs never answers. */
const readinessMs = 3_000;

/** Servers that each role needs. A process with the role api stays ready without Kafka or OpenSearch, and reports it. */
const needs: Readonly<Record<ProcessRole, readonly string[]>> = {
  api: ['eventstore', 'postgres'],
  worker: ['eventstore', 'postgres'],
  relay: ['eventstore', 'postgres', 'kafka'],
  projector: ['eventstore', 'postgres', 'kafka', 'opensearch'],
};

/** Whether this process can do its work, and its progress. Always resolves, within 3 s. */
export async function readiness(sources: ReadinessSources): Promise<Readiness> {
  const { config, status } = sources;
  const { profile, roles } = config;
  const states = abandonAfter(readinessMs, () => sources.backEnds.states()).catch((): BackEndStates => ({}));
  try {
    const known = await abandonAfter(readinessMs, () => stateOf(sources));
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
      reactors: [],
      backEnds: await states,
    };
  }
}

/** The states alone; with `position`, the token of the head. */
export function statesOf(
  { log, projections, reactors, relay, backEnds, embedder, ...rest }: Readiness,
  position: string | undefined,
): ReadinessStates {
  const following = (all: Readiness['projections']): ReadinessStates['projections'] =>
    all.map(({ name, parked }) => ({ name, state: parked > 0 ? 'parked' : 'following' }));
  return {
    ...rest,
    log: 'error' in log ? { state: 'down' } : { state: 'up', ...(position !== undefined && { position }) },
    projections: following(projections),
    reactors: following(reactors),
    ...(relay && { relay: { state: relay.state } }),
    backEnds: Object.fromEntries(Object.entries(backEnds).map(([name, { state }]) => [name, { state }])),
    ...(embedder && { embedder: { model: embedder.model, state: embedder.state } }),
  };
}

async function stateOf({
  log,
  operations,
  embedders,
  relay,
  bulkStores,
  development,
}: ReadinessSources): Promise<
  Pick<Readiness, 'identity' | 'log' | 'projections' | 'reactors' | 'bulkStores' | 'embedder' | 'relay'>
> {
  const bulk = bulkStores?.();
  const identity = (await development()) ? 'development' : 'credentials';
  const head = await log.head();
  const states = (await operations?.status()) ?? [];
  const projections = states.map((state) => {
    const live = state.generations.find(({ active }) => active);
    const { position = 0, lag = head, lock = 'free' } = live ?? {};
    return { name: state.name, position, lag, lock, parked: parkedInLive(state).length };
  });
  const reactors = ((await operations?.reactors()) ?? []).map(({ parked, error: _, ...reactor }) => ({
    ...reactor,
    parked: parked.length,
  }));
  const embedder = embedders && embedderState(embedders, states);
  return {
    identity,
    log: { head, position: positionToken(log.logId, head) },
    projections,
    reactors,
    ...(bulk && { bulkStores: await bulk }),
    ...(embedder && { embedder }),
    ...(relay && { relay: await relay.status() }),
  };
}

function embedderState(embedders: Embedders, states: readonly ProjectionStatus[]): EmbedderState | undefined {
  const live = states.find(({ name }) => name === 'vectors')?.generations.find(({ active }) => active);
  if (!live) return undefined;
  const model = variantOf(live.signature);
  if (!embedders.find(model)) return { model, state: 'down', error: 'it is not registered here' };
  const failure = embedders.failure(model);
  if (!failure) return { model, state: 'up' };
  const { error, since } = failure;
  const reason = error instanceof Error ? error.message : String(error);
  return { model, state: 'down', error: reason, since: since.toISOString() };
}
