import type * as api from './api-types.ts';
import type { CallOptions, CommandOptions } from './options.ts';
import { PagedList } from './paged-list.ts';
import { path } from './request.ts';
import type { Transport } from './transport.ts';

/** `/v1/reviews`: what waits for a reviewer, and the decisions. */
export class Reviews {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** What waits: memories in quarantine, contradictions, duplicates, and memories that were judged outdated. */
  list(
    query: api.ListReviewsQuery = {},
    options?: CallOptions,
  ): PagedList<api.Review, api.ListReviewsAnswer> {
    return new PagedList((page) => {
      const asked = { ...query, ...page };
      return this.#transport.call(
        { method: 'GET', path: '/v1/reviews', query: asked, reads: 'query' },
        options,
      );
    }, query);
  }

  /** Decide about one; `undo` takes the last decision back. */
  decide(
    id: string,
    decision: api.ReviewDecision,
    options?: CommandOptions,
  ): Promise<api.DecideReviewAnswer> {
    return this.#transport.call(
      { method: 'POST', path: path`/v1/reviews/${id}`, body: decision, changes: true },
      options,
    );
  }

  /** Decide the same about many; each succeeds or fails on its own. */
  decideAll(decisions: api.ReviewDecisions, options?: CommandOptions): Promise<api.DecideReviewsAnswer> {
    return this.#transport.call(
      { method: 'POST', path: '/v1/reviews/bulk', body: decisions, changes: true },
      options,
    );
  }
}
