import type * as api from './api-types.ts';
import type { CallOptions, ChangeOptions, CommandOptions } from './options.ts';
import { path } from './request.ts';
import type { Transport } from './transport.ts';

/** `/v1/sources`: feeds, pages, sitemaps and folders that the server reads on a schedule. */
export class Sources {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The sources of the tenant, with their last runs. */
  list(query: api.ListSourcesQuery = {}, options?: CallOptions): Promise<api.ListSourcesAnswer> {
    return this.#transport.call({ method: 'GET', path: '/v1/sources', query, reads: 'query' }, options);
  }

  get(id: string, query: api.GetSourceQuery = {}, options?: CallOptions): Promise<api.Source> {
    return this.#transport.call(
      { method: 'GET', path: path`/v1/sources/${id}`, query, reads: 'query' },
      options,
    );
  }

  /** Configure a source. Its type, layer and scope cannot be changed later. */
  put(
    id: string,
    config: api.PutSource,
    options: ChangeOptions & {
      /** `*`: fail if the source is configured. */
      readonly ifNoneMatch?: '*' | undefined;
    } = {},
  ): Promise<api.PutSourceAnswer> {
    const { ifNoneMatch, ...rest } = options;
    return this.#transport.call(
      {
        method: 'PUT',
        path: path`/v1/sources/${id}`,
        body: config,
        changes: true,
        ...(ifNoneMatch && { headers: { 'if-none-match': ifNoneMatch } }),
      },
      rest,
    );
  }

  /** Change what the patch names; null brings back the default. */
  update(id: string, patch: api.PatchSource, options: ChangeOptions = {}): Promise<api.PatchSourceAnswer> {
    return this.#transport.call(
      { method: 'PATCH', path: path`/v1/sources/${id}`, body: patch, changes: true },
      options,
    );
  }

  /** Remove a source. Its documents stay. */
  delete(id: string, options: ChangeOptions = {}): Promise<api.DeleteSourceAnswer> {
    return this.#transport.call({ method: 'DELETE', path: path`/v1/sources/${id}`, changes: true }, options);
  }

  /** Read a source now, whatever its schedule says. The answer comes before it is read; `lastRun` says what became of it. */
  run(id: string, options?: CommandOptions): Promise<api.RunSourceAnswer> {
    return this.#transport.call(
      { method: 'POST', path: path`/v1/sources/${id}/run`, body: {}, changes: true },
      options,
    );
  }
}
