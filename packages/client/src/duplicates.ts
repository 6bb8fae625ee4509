import type * as api from './api-types.ts';
import type { CallOptions, CommandOptions } from './options.ts';
import { PagedList } from './paged-list.ts';
import { path } from './request.ts';
import type { Transport } from './transport.ts';

/** `/v1/duplicates`: memories of a space that say the same. */
export class Duplicates {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the clusters whose memories you can see. */
  list(
    query: api.ListDuplicatesQuery = {},
    options?: CallOptions,
  ): PagedList<api.DuplicateCluster, api.ListDuplicatesAnswer> {
    return new PagedList((page) => {
      const asked = { ...query, ...page };
      return this.#transport.call(
        { method: 'GET', path: '/v1/duplicates', query: asked, reads: 'query' },
        options,
      );
    }, query);
  }

  /** Decide about a cluster; `manual` takes the last decision back. */
  resolve(
    id: string,
    resolution: api.ResolveDuplicates,
    options?: CommandOptions,
  ): Promise<api.ResolveDuplicatesAnswer> {
    return this.#transport.call(
      { method: 'POST', path: path`/v1/duplicates/${id}/resolve`, body: resolution, changes: true },
      options,
    );
  }
}
