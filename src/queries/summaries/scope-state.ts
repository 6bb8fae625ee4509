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
  const filedUnder =
    layer === 'company' ? keyOf('layer', [], layer) : keyOf(`scope.${layer}`, [], scope[layer]!);
  const identifiers = visibilityKeys(layer).map((key) => {
    const value = scope[key];
    return value === undefined ? `m.${column(key)} is null` : `m.${column(key)} = ${parameters.bind(value)}`;
  });
  const active = `${view.table('memories')} m
      where ${allOf([
        `m.tenant = ${own}`,
        `m.memory_id in (select p.memory_id from ${view.table('memories', 'memories_postings')} p
           where p.tenant = ${own} and p.key = ${parameters.bind(filedUnder)}::bigint)`,
        "m.to_position is null and m.state = 'active'",
        `m.layer = ${parameters.bind(layer)}`,
        ...identifiers,
      ])}`;
  // The hash of a row must depend only on what a summary of it would say.
  return `(
    select s.*, hashtextextended(s.value->>'content', hashboolextended(s.silent, uuid_hash_extended(s.memory_id, 0))) as state_hash
    from (
      select m.memory_id, m.external_id, m.revision, m.from_position, m.created_at, m.occurred_at, m.user_id, m.session, m.spaces, m.value,
        ${isSilent(view, own, 'm')} as silent
      from ${newest === undefined ? active : `(select m.* from ${active} order by m.memory_id desc limit ${newest}) m`}
    ) s)`;
}

/**
 * SQL for whether a memory is silent: it addresses the model as an instruction and nobody has reviewed it, another one supersedes it, or the latest judgement of its writer or an admin refutes it. `tenant` is the
 * parameter that holds the tenant, `memory` the alias of a row of `memories`.
 */
export function isSilent(view: ReadView, tenant: string, memory: string): string {
  const refuting = refutingKinds.map((kind) => `'${kind}'`).join(', ');
  const addressesModel = `coalesce(${memory}.value->'trust'->'flags' ? 'instruction' and not ${memory}.value->'trust' ? 'reviewedBy', false)`;
  return `(${addressesModel} or exists (
      select 1 from ${view.table('links')} l join ${view.table('memories')} newer
        on newer.tenant = l.tenant and newer.memory_id = l.source and newer.to_position is null and newer.state = 'active'
      where l.tenant = ${tenant} and l.target = ${memory}.memory_id and l.type = 'supersedes' and l.to_position is null
    ) or exists (
      select 1 from (
        select distinct on (f.kind, f.principal) f.score, ${hasAuthority(view) ? 'f.authoritative' : 'true'} as counts from ${view.table('feedback')} f
        where f.tenant = ${tenant} and f.memory_id = ${memory}.memory_id and f.kind in (${refuting})
        order by f.kind, f.principal, f.position desc) latest
      where latest.score < 0 and latest.counts))`;
}

/** SQL for the one hash over all rows of `scopeMemories`, whatever their order. */
export const scopeHash = (alias: string, over = ''): string =>
  `count(*)${over}::text || ':' || to_hex(coalesce(bit_xor(${alias}.state_hash)${over}, 0))`;
