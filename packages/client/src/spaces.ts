import type * as api from './api-types.ts';
import type { CallOptions, ChangeOptions, CommandOptions } from './options.ts';
import { path } from './request.ts';
import type { Transport } from './transport.ts';

/** `/v1/spaces`: what decides which memories enter a space, how long they stay, what they may cost and how they rank. */
export class Spaces {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The spaces of the tenant, with what they hold. */
  list(query: api.ListSpacesQuery = {}, options?: CallOptions): Promise<api.ListSpacesAnswer> {
    return this.#transport.call({ method: 'GET', path: '/v1/spaces', query, reads: 'query' }, options);
  }

  get(id: string, query: api.GetSpaceQuery = {}, options?: CallOptions): Promise<api.Space> {
    return this.#transport.call(
      { method: 'GET', path: path`/v1/spaces/${id}`, query, reads: 'query' },
      options,
    );
  }

  /** Configure a space. What is left out has its default, or the value of the `preset`. */
  put(
    id: string,
    config: api.PutSpace = {},
    options: ChangeOptions & {
      /** `*`: fail if the space is configured. */
      readonly ifNoneMatch?: '*' | undefined;
    } = {},
  ): Promise<api.PutSpaceAnswer> {
    const { ifNoneMatch, ...rest } = options;
    return this.#transport.call(
      {
        method: 'PUT',
        path: path`/v1/spaces/${id}`,
        body: config,
        changes: true,
        ...(ifNoneMatch && { headers: { 'if-none-match': ifNoneMatch } }),
      },
      rest,
    );
  }

  /** Change what the patch names; null brings back the default. */
  update(id: string, patch: api.PatchSpace, options: ChangeOptions = {}): Promise<api.PatchSpaceAnswer> {
    return this.#transport.call(
      { method: 'PATCH', path: path`/v1/spaces/${id}`, body: patch, changes: true },
      options,
    );
  }

  /** The figures of a space. With `retentionDays`, they say what that retention would delete now. */
  stats(id: string, query: api.SpaceStatsQuery = {}, options?: CallOptions): Promise<api.SpaceStats> {
    return this.#transport.call(
      { method: 'GET', path: path`/v1/spaces/${id}/stats`, query, reads: 'query' },
      options,
    );
  }

  /** Remove the configuration of a space that has no memories; with `memories: 'detach'`, its memories lose the label. */
  delete(
    id: string,
    { memories, ...options }: ChangeOptions & { readonly memories?: 'detach' | undefined } = {},
  ): Promise<api.DeleteSpaceAnswer> {
    return this.#transport.call(
      { method: 'DELETE', path: path`/v1/spaces/${id}`, changes: true, query: { memories } },
      options,
    );
  }

  /** Set whether memories may name spaces that nobody configured. */
  configure(settings: api.SpacesSettings, options?: CommandOptions): Promise<api.ConfigureSpacesAnswer> {
    return this.#transport.call(
      { method: 'PUT', path: '/v1/admin/spaces', body: settings, changes: true },
      options,
    );
  }
}
