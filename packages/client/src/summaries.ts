import type * as api from './api-types.ts';
import type { CallOptions, CommandOptions } from './options.ts';
import { PagedList, type Page } from './paged-list.ts';
import { path } from './request.ts';
import type { Transport } from './transport.ts';

/** Which summaries to read; `scope` contains the identifiers of the scope. */
export interface AskedSummaries {
  readonly layer?: api.Summary['layer'] | undefined;
  readonly scope?: Readonly<Record<string, string>> | undefined;
  readonly depth?: api.Summary['depth'] | undefined;
  /** The summaries that were personalised for this user, instead of those for everybody. */
  readonly user?: string | undefined;
  /** Those for one session of the user. */
  readonly session?: string | undefined;
  /** A question: each summary has its relevance to it. */
  readonly query?: string | undefined;
  /** The summaries as of a position or time. */
  readonly asOf?: string | undefined;
  /** How long the server may take for that, in milliseconds. */
  readonly waitMs?: number | undefined;
}

/** Summaries, and what the answer says about them. */
export type SummaryPage = Page<api.Summary> & Pick<api.ListSummariesAnswer, 'position' | 'warnings'>;

/** `/v1/summaries`: short texts about what layers hold. */
export class Summaries {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The summaries that the caller can see, the most specific layer first. The server sends all of them in one page. */
  list(asked: AskedSummaries = {}, options?: CallOptions): PagedList<api.Summary, SummaryPage> {
    return new PagedList(async () => {
      const { items, summary, ...page } = await this.#read(asked, options);
      return { ...page, items: items ?? (summary ? [summary] : []) };
    });
  }

  /** The summary of one scope; null if there is none. */
  async get(
    asked: AskedSummaries & { readonly layer: api.Summary['layer']; readonly depth: api.Summary['depth'] },
    options?: CallOptions,
  ): Promise<api.Summary | null> {
    const { items, summary } = await this.#read(asked, options);
    return summary ?? items?.[0] ?? null;
  }

  /** Have the summaries of a scope made anew. They are there shortly after. */
  refresh(request: api.RefreshSummary, options?: CommandOptions): Promise<api.RefreshSummaryAnswer> {
    return this.#transport.call(
      { method: 'POST', path: '/v1/summaries/refresh', body: request, changes: true },
      options,
    );
  }

  #read(
    { scope = {}, ...asked }: AskedSummaries,
    options: CallOptions | undefined,
  ): Promise<api.ListSummariesAnswer> {
    const identifiers = Object.fromEntries(
      Object.entries(scope).map(([key, value]) => [`scope.${key}`, value]),
    );
    return this.#transport.call(
      { method: 'GET', path: '/v1/summaries', query: { ...asked, ...identifiers }, reads: 'query' },
      options,
    );
  }
}

/** `/v1/admin/summaries`: when and how the summaries of each layer are made. */
export class SummaryConfiguration {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(layer: api.Summary['layer'], options?: CallOptions): Promise<api.SummarySettingsAnswer> {
    return this.#transport.call(
      { method: 'GET', path: path`/v1/admin/summaries/${layer}`, reads: 'query' },
      options,
    );
  }

  /** Replaces all settings of the layer. */
  set(
    layer: api.Summary['layer'],
    settings: api.SummarySettings,
    options?: CommandOptions,
  ): Promise<api.ConfigureSummariesAnswer> {
    return this.#transport.call(
      { method: 'PUT', path: path`/v1/admin/summaries/${layer}`, body: settings, changes: true },
      options,
    );
  }
}
