import { hasRole, type TenantContext } from '../domain/access/context.ts';
import { visible } from '../domain/access/visibility.ts';
import { groupBy } from '../domain/group-by.ts';
import type { Layer } from '../domain/layers.ts';
import type { LiveState } from '../domain/memory/memory.ts';
import type { ReadModels, ReadView, Wait } from './read-models.ts';
import { regionCondition } from './scope-sql.ts';
import { Parameters } from './sql-builder.ts';

/** The retention of spaces in days, by their labels. */
export type RetentionDays = ReadonlyMap<string, number>;

interface Counts {
  readonly active: number;
  readonly archived: number;
  readonly deleted: number;
  /** UTF-16 code units, of all of them. */
  readonly characters: number;
  /** Bytes of UTF-8 of the active ones: what counts towards the quota. */
  readonly bytes: number;
}

export interface SpaceStats {
  readonly coverage: 'tenant' | 'visible';
  readonly total: Counts;
  readonly layers: readonly (Counts & { readonly layer: Layer })[];
  /** When the oldest and the newest of them were stored. Deleted ones do not count from here on. */
  readonly oldestAt?: Date;
  readonly newestAt?: Date;
  readonly kept: number;
  readonly expiring: number;
  readonly nextExpiryAt?: Date;
  readonly access: {
    readonly total: number;
    readonly memories: number;
    readonly neverUsed: number;
    readonly lastAt?: Date;
  };
  /** What a retention would delete now. */
  readonly over: { readonly memories: number; readonly bytes: number };
  readonly position: number;
}

interface Group extends Record<string, unknown> {
  layer: Layer;
  state: LiveState['status'];
  memories: number;
  characters: number;
  bytes: number;
  oldest: Date;
  newest: Date;
  kept: number;
  expiring: number;
  next_expiry: Date | null;
  accesses: number;
  accessed: number;
  last_accessed: Date | null;
  over: number;
  over_bytes: number;
}

/**
 * The figures of a space: of the whole tenant for admins and auditors, and of the visible memories for all others. `retention` says which
 * memories are over: those that are older than the retention of all their spaces at `now`, and not kept.
 */
export function readSpaceStats(
  models: ReadModels,
  caller: TenantContext,
  {
    space,
    retention,
    now,
    wait,
  }: { readonly space: string; readonly retention: RetentionDays; readonly now: Date; readonly wait: Wait },
): Promise<SpaceStats> {
  const isWhole = hasRole(caller, 'admin', 'auditor');
  const demand = { projections: ['memories', 'statistics', 'usage'], ...wait };
  return models.read(demand, async (view) => {
    const parameters = new Parameters();
    const region = { tenant: caller.tenant, visibility: isWhole ? 'all' : visible(caller) } as const;
    const conditions = [
      'm.to_position is null',
      regionCondition(region, 'm', parameters),
      `${parameters.bind(space)} = any (c.spaces)`,
    ];
    const over = overSql(retention, now, parameters);
    const groups = await models.sql.queryAs<Group>(
      caller.tenant,
      groupsSql(view, conditions.join(' and '), over),
      parameters.values,
    );
    return { coverage: isWhole ? 'tenant' : 'visible', ...statsOf(groups), position: view.position };
  });
}

function groupsSql(view: ReadView, condition: string, over: string): string {
  const expires = `c.expires_at is not null and not c.kept`;
  return `select c.layer, c.state, count(*) as memories, sum(c.characters)::bigint as characters, sum(c.bytes)::bigint as bytes,
      min(m.created_at) as oldest, max(m.created_at) as newest,
      count(*) filter (where c.kept) as kept,
      count(*) filter (where ${expires}) as expiring, min(c.expires_at) filter (where ${expires}) as next_expiry,
      coalesce(sum(u.accesses), 0)::bigint as accesses, count(*) filter (where u.accesses > 0) as accessed,
      max(u.last_accessed_at) as last_accessed,
      count(*) filter (where ${over}) as over, coalesce(sum(c.bytes) filter (where ${over}), 0)::bigint as over_bytes
    from ${view.table('memories')} m
    join ${view.table('statistics', 'statistics_counted')} c on c.tenant = m.tenant and c.memory_id = m.memory_id
    left join ${view.table('usage')} u on u.tenant = m.tenant and u.memory_id = m.memory_id
    where ${condition} and not c.withheld group by c.layer, c.state`;
}

/** SQL condition on memories that are not kept and older than the retention of each of their spaces. A space without one keeps them. */
function overSql(retention: RetentionDays, now: Date, parameters: Parameters): string {
  const labels = parameters.bind([...retention.keys()]);
  const days = parameters.bind([...retention.values()]);
  return `not c.kept and not exists (
    select 1 from unnest(c.spaces) as own(label)
    left join unnest(${labels}::text[], ${days}::integer[]) as retained(label, days) on retained.label = own.label
    where retained.days is null or m.created_at >= ${parameters.bind(now)}::timestamptz - retained.days * interval '1 day')`;
}

function statsOf(groups: readonly Group[]): Omit<SpaceStats, 'coverage' | 'position'> {
  const present = groups.filter(({ state }) => state !== 'deleted');
  const sum = (of: (group: Group) => number) => present.reduce((total, group) => total + of(group), 0);
  const times = (of: (group: Group) => Date | null) => present.flatMap((group) => of(group) ?? []);
  const oldest = earliest(times(({ oldest: at }) => at));
  const newest = latest(times(({ newest: at }) => at));
  const expiry = earliest(times(({ next_expiry: at }) => at));
  const lastAt = latest(times(({ last_accessed: at }) => at));
  const accessed = sum((group) => group.accessed);
  return {
    total: countsOf(groups),
    layers: [...groupBy(groups, ({ layer }) => layer)].map(([layer, own]) => ({ layer, ...countsOf(own) })),
    ...(oldest && { oldestAt: oldest }),
    ...(newest && { newestAt: newest }),
    kept: sum((group) => group.kept),
    expiring: sum((group) => group.expiring),
    ...(expiry && { nextExpiryAt: expiry }),
    access: {
      total: sum((group) => group.accesses),
      memories: accessed,
      neverUsed: sum((group) => group.memories) - accessed,
      ...(lastAt && { lastAt }),
    },
    over: { memories: sum((group) => group.over), bytes: sum((group) => group.over_bytes) },
  };
}

function countsOf(groups: readonly Group[]): Counts {
  const sum = (of: (group: Group) => number) => groups.reduce((total, group) => total + of(group), 0);
  const inState = (wanted: Group['state']) => sum(({ state, memories }) => (state === wanted ? memories : 0));
  return {
    active: inState('active'),
    archived: inState('archived'),
    deleted: inState('deleted'),
    characters: sum(({ characters }) => characters),
    bytes: sum(({ state, bytes }) => (state === 'active' ? bytes : 0)),
  };
}

function earliest(times: readonly Date[]): Date | undefined {
  return times.length === 0 ? undefined : new Date(Math.min(...times.map(Number)));
}

function latest(times: readonly Date[]): Date | undefined {
  return times.length === 0 ? undefined : new Date(Math.max(...times.map(Number)));
}
