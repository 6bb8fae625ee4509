import { visibilityKeys } from '../../domain/access/visibility.ts';
import { refutingKinds } from '../../domain/ranking/feedback.ts';
import { keyOf } from '../../domain/retrieval/posting-keys.ts';
import type { SummaryScope } from '../../domain/summaries/summary-scope.ts';
import type { ReadView } from '../read-models.ts';
import { column } from '../scope-sql.ts';
import { hasAuthority } from '../search/read-feedback.ts';
import { allOf, type Parameters } from '../sql-builder.ts';

/** Read models that say what a scope holds. */
export const scopeModels = ['memories', 'links', 'feedback'] as const;

/**
 * SQL for a subquery with the active memories of a scope: `memory_id`, `external_id`, `revision`, `from_position`, `created_at`, `occurred_at`,
 * `user_id`, `session`, `value`, whether a memory is `silent`, because another one supersedes it or its writer or an admin calls it outdated or inaccurate, and `state_hash`.
 * With `newest`, only so many of them: those that were stored last. Links and feedback are read for these alone.
 */
export function scopeMemories(
  view: ReadView,
  tenant: string,
  { layer, scope }: SummaryScope,
  parameters: Parameters,
  newest?: number,
): string {
  const own = parameters.bind(tenant);
  const identifiers = visibilityKeys(layer).map((key) => {
    const value = scope[key];
    return value === undefined ? `m.${column(key)} is null` : `m.${column(key)} = ${parameters.bind(value)}`;
  });
  const active = `${view.table('memories')} m
      where ${allOf([
        `m.tenant = ${own}`,
        `m.memory_id in (select p.memory_id from ${view.table('memories', 'memories_postings')} p
           where p.tenant = ${own} and p.key = ${parameters.bind(postingKey({ layer, scope }))}::bigint)`,
        "m.to_position is null and m.state = 'active'",
        `m.layer = ${parameters.bind(layer)}`,
        ...identifiers,
      ])}`;
  return `(
    select s.*, ${stateHash('s.value', 's.silent', 's.memory_id')} as state_hash
    from (
      select m.memory_id, m.external_id, m.revision, m.from_position, m.created_at, m.occurred_at, m.user_id, m.session, m.spaces, m.value,
        ${isSilent(view, own, 'm')} as silent
      from ${newest === undefined ? active : `(select m.* from ${active} order by m.memory_id desc limit ${newest}) m`}
    ) s)`;
}

/** The key by which the memories of a scope are found, with others of the same identifier. */
export const postingKey = ({ layer, scope }: SummaryScope) =>
  layer === 'company' ? keyOf('layer', [], layer) : keyOf(`scope.${layer}`, [], scope[layer]!);

/**
 * SQL for whether a memory is silent: it addresses the model as an instruction and nobody has reviewed it, another one supersedes it, or the latest judgement of its writer or an admin refutes it. `tenant` is the
 * parameter that holds the tenant, `memory` the alias of a row of `memories`.
 */
export function isSilent(view: ReadView, tenant: string, memory: string): string {
  const id = `${memory}.memory_id`;
  return `(${addressesModel(memory)} or exists (${superseded(view, tenant, id)}) or exists (${refuted(view, tenant, id)}))`;
}

/** The same where most memories of a tenant are asked about: links and feedback are read once, and not for each of them. */
export function isSilentAmongMany(view: ReadView, tenant: string, memory: string): string {
  const id = `${memory}.memory_id`;
  return `(${addressesModel(memory)} or ${id} in (${superseded(view, tenant)}) or ${id} in (${refuted(view, tenant)}))`;
}

const addressesModel = (memory: string): string =>
  `coalesce(${memory}.value->'trust'->'flags' ? 'instruction' and not ${memory}.value->'trust' ? 'reviewedBy', false)`;

/** SQL for the ids of memories that an active one supersedes: of all, or `id` if it is one of them. */
function superseded(view: ReadView, tenant: string, id?: string): string {
  return `select l.target from ${view.table('links')} l join ${view.table('memories')} newer
      on newer.tenant = l.tenant and newer.memory_id = l.source and newer.to_position is null and newer.state = 'active'
    where ${allOf([
      `l.tenant = ${tenant}`,
      ...(id === undefined ? [] : [`l.target = ${id}`]),
      "l.type = 'supersedes' and l.to_position is null",
    ])}`;
}

/** SQL for the ids of memories that the latest judgement of somebody with authority refutes: of all, or `id` if it is one of them. */
function refuted(view: ReadView, tenant: string, id?: string): string {
  const refuting = refutingKinds.map((kind) => `'${kind}'`).join(', ');
  return `select latest.memory_id from (
      select distinct on (f.memory_id, f.kind, f.principal) f.memory_id, f.score, ${hasAuthority(view) ? 'f.authoritative' : 'true'} as counts
      from ${view.table('feedback')} f
      where ${allOf([`f.tenant = ${tenant}`, ...(id === undefined ? [] : [`f.memory_id = ${id}`]), `f.kind in (${refuting})`])}
      order by f.memory_id, f.kind, f.principal, f.position desc) latest
    where latest.score < 0 and latest.counts`;
}

/** SQL for what of a memory a summary says. It must depend only on that. */
export const stateHash = (value: string, silent: string, id: string): string =>
  `hashtextextended(${value}->>'content', hashboolextended(${silent}, uuid_hash_extended(${id}, 0)))`;

/** SQL for the one hash over all rows of `scopeMemories`, whatever their order. */
export const scopeHash = (alias: string, over = ''): string =>
  `count(*)${over}::text || ':' || to_hex(coalesce(bit_xor(${alias}.state_hash)${over}, 0))`;
