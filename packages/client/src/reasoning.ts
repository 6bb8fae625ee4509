import type * as api from './api-types.ts';
import type { CallOptions, CommandOptions } from './options.ts';
import { PagedList } from './paged-list.ts';
import type { Transport } from './transport.ts';

/** `/v1/reasoning`. */
export class Reasoning {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Search, then follow links and mentioned names to memories that are not similar to the question. */
  multiHop(request: api.MultiHop, options?: CallOptions): Promise<api.MultiHopAnswer> {
    return this.#transport.call(
      { method: 'POST', path: '/v1/reasoning/multi-hop', body: request, reads: 'body' },
      options,
    );
  }

  /** Search with the parameters that worked for similar questions, where the request leaves them open. */
  search(request: api.ExperiencedSearch, options?: CallOptions): Promise<api.ExperiencedSearchAnswer> {
    return this.#transport.call(
      { method: 'POST', path: '/v1/reasoning/search', body: request, reads: 'body' },
      options,
    );
  }

  /** Record how a question or task was approached and how that ended. */
  record(trace: api.RecordTrace, options?: CommandOptions): Promise<api.RecordedTrace> {
    return this.#transport.call(
      { method: 'POST', path: '/v1/reasoning/traces', body: trace, changes: true },
      options,
    );
  }

  /** What attempts at similar questions taught, best first. `await` returns one page, `for await` iterates over all. */
  strategies(
    query: api.ListStrategiesQuery = {},
    options?: CallOptions,
  ): PagedList<api.Lesson, api.ListStrategiesAnswer> {
    return new PagedList((page) => {
      const asked = { ...query, ...page };
      return this.#transport.call(
        { method: 'GET', path: '/v1/reasoning/strategies', query: asked, reads: 'query' },
        options,
      );
    }, query);
  }

  /** Earlier attempts at similar questions or tasks, best first. */
  history(request: api.ReasoningHistory, options?: CallOptions): Promise<api.ReasoningHistoryAnswer> {
    return this.#transport.call(
      { method: 'POST', path: '/v1/reasoning/history', body: request, reads: 'body' },
      options,
    );
  }
}

/** `/v1/admin/experience`: whether searches with experience apply it, and whether that helps. */
export class Experience {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(options?: CallOptions): Promise<api.Experience> {
    return this.#transport.call({ method: 'GET', path: '/v1/admin/experience', reads: 'query' }, options);
  }

  /** Replaces all settings. */
  set(settings: api.ExperienceSettings, options?: CommandOptions): Promise<api.ConfigureExperienceAnswer> {
    return this.#transport.call(
      { method: 'PUT', path: '/v1/admin/experience', body: settings, changes: true },
      options,
    );
  }
}
