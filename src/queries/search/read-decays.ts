import { decayOf } from '../../domain/ranking/decay.ts';
import { decayRateOf, type RankingRules } from '../../domain/spaces/ranking-rules.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import { affirmedSql } from '../memory-row.ts';
import type { ReadView } from '../read-models.ts';
import { Parameters } from '../sql-builder.ts';

interface Row extends Record<string, unknown> {
  readonly memory_id: string;
  readonly spaces: readonly string[];
  readonly told_at: Date;
}

export interface DecayDemand {
  readonly tenant: string;
  readonly ids: readonly string[];
  readonly rules: RankingRules;
  /** The time of asking. */
  readonly now: Date;
}

/**
 * Log-odds that age takes from these memories, by memory id; nothing for those in no space with a decay. The age of a memory counts
 * from when it was last told (`lastToldAt`).
 */
export async function readDecays(
  tx: SqlExecutor,
  view: ReadView,
  { tenant, ids, rules, now }: DecayDemand,
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0 || rules.decayRates.size === 0) return new Map();
  const parameters = new Parameters();
  const affirmed = affirmedSql(view, { tenant: 'm.tenant', memoryId: 'm.memory_id' }, parameters);
  const rows = await tx.query<Row>(
    `select m.memory_id, m.spaces,
       greatest(coalesce(m.occurred_at, m.created_at), (${affirmed}->>'affirmedAt')::timestamptz) as told_at
     from ${view.table('memories')} m
     where m.tenant = ${parameters.bind(tenant)} and m.memory_id = any (${parameters.bind([...ids])}::uuid[])
       and m.to_position is null and m.spaces && ${parameters.bind([...rules.decayRates.keys()])}::text[]`,
    parameters.values,
  );
  return new Map(
    rows.map(({ memory_id: id, spaces, told_at: toldAt }) => [
      id,
      decayOf(decayRateOf(rules, spaces), now.getTime() - toldAt.getTime()),
    ]),
  );
}
