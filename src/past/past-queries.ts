import type { Clock } from '../ports/clock.ts';
import type { Embedders } from '../ports/embedder.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { Sql } from '../ports/sql.ts';
import type { Tokenizer } from '../ports/tokenizer.ts';
import { ContextBlocks, type ContextBlocksDependencies } from '../queries/context/context-blocks.ts';
import { ContextBuilder } from '../queries/context/context-builder.ts';
import type { PastQueries } from '../queries/past.ts';
import { PolicyDirectory } from '../queries/policies/policy-directory.ts';
import { readPolicyHistory } from '../queries/policies/policy-reader.ts';
import { ReadModels } from '../queries/read-models.ts';
import type { RoutedSearch } from '../queries/routing/routed-search.ts';
import type { SearchIndexes } from '../queries/search/search-engines.ts';
import { SearchService } from '../queries/search/search.ts';
import { rankingSettingsAt } from '../queries/search/ranking-directory.ts';
import { SummaryReader } from '../queries/summaries/list-summaries.ts';
import { WakeUp } from '../support/wake-up.ts';

export interface PastQueriesParts {
  readonly store: EventStore;
  readonly embedders: Embedders;
  readonly tokenizer: Tokenizer;
  /** The search over the live read models. */
  readonly search: RoutedSearch;
  readonly settingsAt: (
    tenant: string,
    position: number,
  ) => ReturnType<ContextBlocksDependencies['settingsOf']>;
  readonly idOf: ContextBlocksDependencies['idOf'];
}

interface Past {
  /** The private database, with the indexes beside it. */
  readonly sql: Sql;
  readonly indexes: SearchIndexes;
  readonly position: number;
  /** When the log had reached the position. */
  readonly time: Date;
}

/** The query classes of the live side over read models that stand at a position. */
export function pastQueries(
  { store, embedders, tokenizer, search: live, settingsAt, idOf }: PastQueriesParts,
  { sql, indexes, position, time }: Past,
): PastQueries {
  const models = new ReadModels(sql, new WakeUp(), { standStill: true });
  const clock: Clock = { now: () => time };
  const search = live.over({
    search: new SearchService(models, embedders, clock, indexes, rankingSettingsAt(store, position)),
    policies: new PolicyDirectory((tenant) => readPolicyHistory(store, tenant, position)),
  });
  const settingsOf = (tenant: string) => settingsAt(tenant, position);
  const blocks = new ContextBlocks({ models, embedders, clock, settingsOf, idOf });
  return {
    position,
    time,
    models,
    search,
    contexts: new ContextBuilder({ search, models, tokenizer, clock, blocks, standStill: true }),
    summaries: new SummaryReader({ models, embedders, clock }),
  };
}
