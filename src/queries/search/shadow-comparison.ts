import type { TenantContext } from '../../domain/access/context.ts';
import { parseFilter } from '../../domain/filter.ts';
import {
  compareAnswers,
  compared,
  type ComparedAnswers,
  type ModelComparison,
} from '../../domain/retrieval/model-comparison.ts';
import type { EventStore } from '../../ports/event-store.ts';
import type { ReadModels } from '../read-models.ts';
import { recordedSearches, type RecordedSearch } from './recorded-searches.ts';
import type { SearchService } from './search.ts';

/** Maximum number of judged searches that are repeated, and of the latest ones. */
const maxRecorded = 100;

export interface ComparedModels {
  /** Ids of the embedding models. */
  readonly model: string;
  readonly liveModel: string;
  /** Used instead of recorded searches. */
  readonly queries?: readonly { readonly tenant: string; readonly query: string }[] | undefined;
}

/** Has two embedding models answer the same queries, and returns figures only: nobody sees the answers. */
export class ShadowComparer {
  readonly #store: EventStore;
  readonly #readModels: ReadModels;
  readonly #search: SearchService;

  constructor(store: EventStore, readModels: ReadModels, search: SearchService) {
    this.#store = store;
    this.#readModels = readModels;
    this.#search = search;
  }

  /** Repeats the searches recorded latest if no queries are given. Rejects when `signal` aborts, or a model does not answer. */
  async compare({ queries, ...models }: ComparedModels, signal: AbortSignal): Promise<ModelComparison> {
    const searches: readonly Searched[] = queries?.map(asSearch) ?? (await this.#recorded());
    const answers: ComparedAnswers[] = [];
    for (const { tenant, asked, judgements } of searches) {
      signal.throwIfAborted();
      const { query, layers, scope, spaces, tags, filter, now } = asked;
      const request = {
        query,
        layers,
        scope,
        spaces,
        tags,
        ...(filter && { filter: parseFilter(filter) }),
        topK: compared,
        ...(now !== undefined && { now: new Date(now) }),
      };
      const caller = wholeTenant(tenant);
      // One after the other, so that searches of callers are not slowed down.
      const live = await this.#search.ranking(caller, request, models.liveModel);
      const fresh = await this.#search.ranking(caller, request, models.model);
      answers.push({ fresh, live, judgements });
    }
    return compareAnswers(models, answers);
  }

  async #recorded(): Promise<readonly RecordedSearch[]> {
    return recordedSearches(this.#store, this.#readModels, maxRecorded);
  }
}

type Searched = Pick<RecordedSearch, 'tenant' | 'judgements'> & {
  readonly asked: Pick<
    RecordedSearch['asked'],
    'query' | 'layers' | 'scope' | 'spaces' | 'tags' | 'filter' | 'now'
  >;
};

function asSearch({ tenant, query }: { readonly tenant: string; readonly query: string }): Searched {
  return { tenant, asked: { query }, judgements: new Map() };
}

/** The original caller is unknown: both models search the whole tenant, within what the search named. */
function wholeTenant(tenant: string): TenantContext {
  const nobody = { orgs: [], teams: [], projects: [], sessions: [], agents: [] };
  return { tenant, principal: 'system', roles: ['admin'], ...nobody };
}
