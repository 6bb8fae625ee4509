import { hasRole, type TenantContext } from '../domain/access/context.ts';
import type { Region } from '../domain/access/region.ts';
import { visible } from '../domain/access/visibility.ts';
import { groupBy } from '../domain/group-by.ts';
import type { Layer } from '../domain/layers.ts';
import type { LiveState } from '../domain/memory/memory.ts';
import type { ReadModels, ReadView } from './read-models.ts';
import { regionCondition } from './scope-sql.ts';
import { Parameters } from './sql-builder.ts';

export interface Amount {
  readonly active: number;
  readonly archived: number;
  readonly deleted: number;
  /** UTF-16 code units of content, of all of them. */
  readonly characters: number;
  /** Bytes of UTF-8 of the contents of active memories: what counts towards the quota of a space. */
  readonly bytes: number;
}

export interface Stats {
  readonly tenant: string;
  /** `tenant`: the whole tenant; `visible`: what this caller may see. */
  readonly coverage: 'tenant' | 'visible';
  readonly total: Amount;
  readonly layers: readonly (Amount & { layer: Layer })[];
  readonly spaces: readonly (Amount & { space: string })[];
  readonly access: { readonly total: number; readonly memories: number; readonly lastAt?: string };
  readonly feedback: { readonly total: number };
  readonly position: number;
}

interface SumRow extends Record<string, unknown> {
  layer: Layer;
  space: string;
  state: LiveState['status'];
  memories: number;
  characters: number;
  bytes: number;
}

/** Counts and sizes of the whole tenant for admins, auditors and operators, and of the visible memories for all others. */
export function readStats(
  models: ReadModels,
  caller: TenantContext,
  wait: { minPosition?: number | undefined; waitMs?: number | undefined },
): Promise<Stats> {
  const demand = { projections: ['memories', 'statistics', 'usage'], ...wait };
  return models.read(demand, (view) => statsIn(models, caller, view));
}

async function statsIn(models: ReadModels, caller: TenantContext, view: ReadView): Promise<Stats> {
  const whole = hasRole(caller, 'admin', 'auditor', 'operator');
  const region = { tenant: caller.tenant, visibility: whole ? 'all' : visible(caller) } as const;
  const rows = await (whole ? tenantSums(models, caller, view) : visibleSums(models, region, view));
  const usage = await readUsage(models, region, view);
  const ofLayers = rows.filter(({ space }) => space === '');
  const amounts = <Key extends 'layer' | 'space'>(key: Key, from: readonly SumRow[]) =>
    [...groupBy(from, (row) => row[key])]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, own]) => ({ [key]: name, ...amountOf(own) })) as (Amount & Record<Key, SumRow[Key]>)[];
  return {
    tenant: caller.tenant,
    coverage: whole ? 'tenant' : 'visible',
    total: amountOf(ofLayers),
    layers: amounts('layer', ofLayers),
    spaces: mayNameSpaces(caller)
      ? amounts(
          'space',
          rows.filter(({ space }) => space !== ''),
        )
      : [],
    ...usage,
    position: view.position,
  };
}

/** Names of spaces are content, and an operator sees none. */
function mayNameSpaces(caller: TenantContext): boolean {
  return !hasRole(caller, 'operator') || hasRole(caller, 'admin', 'auditor');
}

function amountOf(rows: readonly SumRow[]): Amount {
  const sum = (of: (row: SumRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  const inState = (state: SumRow['state']) => sum((row) => (row.state === state ? row.memories : 0));
  return {
    active: inState('active'),
    archived: inState('archived'),
    deleted: inState('deleted'),
    characters: sum((row) => row.characters),
    bytes: sum((row) => (row.state === 'active' ? row.bytes : 0)),
  };
}

function tenantSums(models: ReadModels, { tenant }: TenantContext, view: ReadView): Promise<SumRow[]> {
  return models.sql.queryAs<SumRow>(
    tenant,
    `select layer, space, state, memories, characters, bytes from ${view.table('statistics')} where tenant = $1 and memories <> 0 and state <> 'withheld'`,
    [tenant],
  );
}

function visibleSums(models: ReadModels, region: Region, view: ReadView): Promise<SumRow[]> {
  const parameters = new Parameters();
  const isVisible = regionCondition(region, 'm', parameters);
  return models.sql.queryAs<SumRow>(
    region.tenant,
    `select c.layer, s.space, c.state, count(*) as memories, sum(c.characters) as characters, sum(c.bytes) as bytes
     from ${view.table('memories')} m
     join ${view.table('statistics', 'statistics_counted')} c on c.tenant = m.tenant and c.memory_id = m.memory_id
     cross join lateral (select '' as space union select unnest(c.spaces)) s
     where m.to_position is null and m.state <> 'withheld' and ${isVisible} group by c.layer, s.space, c.state`,
    parameters.values,
  );
}

async function readUsage(
  models: ReadModels,
  region: Region,
  view: ReadView,
): Promise<Pick<Stats, 'access' | 'feedback'>> {
  const parameters = new Parameters();
  const isVisible = regionCondition(region, 'm', parameters);
  const [row] = await models.sql.queryAs<{
    accesses: number;
    memories: number;
    last: Date | null;
    feedbacks: number;
  }>(
    region.tenant,
    `select coalesce(sum(u.accesses), 0)::bigint as accesses, count(*) filter (where u.accesses > 0) as memories,
       max(u.last_accessed_at) as last, coalesce(sum(u.feedbacks), 0)::bigint as feedbacks
     from ${view.table('usage')} u join ${view.table('memories')} m using (tenant, memory_id)
     where m.to_position is null and ${isVisible}`,
    parameters.values,
  );
  const { accesses, memories, last, feedbacks } = row!;
  return {
    access: { total: accesses, memories, ...(last && { lastAt: last.toISOString() }) },
    feedback: { total: feedbacks },
  };
}
