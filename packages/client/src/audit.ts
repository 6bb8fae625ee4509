import type * as api from './api-types.ts';
import { backoffMs } from './backoff.ts';
import { pause } from './deadline.ts';
import { ConnectionLostError } from './errors.ts';
import { linesOf, textOf } from './ndjson.ts';
import type { CallOptions, CommandOptions } from './options.ts';
import { PagedList } from './paged-list.ts';
import { path } from './request.ts';
import type { Transport } from './transport.ts';

/** Selects events of the audit. */
export type AuditFilter = Omit<api.AuditEventsQuery, 'follow' | 'limit' | 'cursor' | 'format' | 'order'>;

const eventsPath = '/v1/audit/events';

/** `/v1/audit`. */
export class Audit {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List the events of the tenant, in the order of the log by default. `await` returns one page, `for await` iterates over all. */
  events(
    query: Omit<api.AuditEventsQuery, 'follow' | 'format'> = {},
    options?: CallOptions,
  ): PagedList<api.AuditEvent, api.AuditEventsAnswer> {
    return new PagedList((page) => {
      const asked = { ...query, ...page };
      return this.#transport.call({ method: 'GET', path: eventsPath, query: asked, reads: 'query' }, options);
    }, query);
  }

  /** The events as one stream, which ends at the end of the log. It continues after the last event if the connection is lost. */
  stream(query: AuditFilter = {}, options?: CallOptions): AsyncGenerator<api.AuditEvent> {
    return this.#events(query, options);
  }

  /** Like `stream`, but continues with new events as they arrive, until `signal` is aborted or the loop is left. */
  follow(query: AuditFilter = {}, options?: CallOptions): AsyncGenerator<api.AuditEvent> {
    return this.#events({ ...query, follow: 'true' }, options);
  }

  /** The events as CSV, in pieces as they arrive. Fails if the connection is lost before the last one. */
  async *csv(query: AuditFilter = {}, options: CallOptions = {}): AsyncGenerator<string> {
    const asked = { ...query, format: 'csv' };
    const response = await this.#transport.open(
      { method: 'GET', path: eventsPath, query: asked, reads: 'query', headers: { accept: 'text/csv' } },
      options,
    );
    yield* textOf(response);
  }

  /** One search: its route, signals and steps. */
  search(
    searchId: string,
    query: api.AuditSearchQuery = {},
    options?: CallOptions,
  ): Promise<api.AuditedSearch> {
    return this.#transport.call(
      { method: 'GET', path: path`/v1/audit/searches/${searchId}`, query, reads: 'query' },
      options,
    );
  }

  /** Run a recorded search again as of the position that it read, and explain each difference. */
  replay(
    searchId: string,
    body: api.ReplaySearchBody = {},
    options?: CallOptions,
  ): Promise<api.ReplayedSearch> {
    return this.#transport.call(
      { method: 'POST', path: path`/v1/audit/searches/${searchId}/replay`, body, reads: 'body' },
      options,
    );
  }

  /** What would have been answered without some events. The server may need minutes; the same call finds what is done. */
  whatIf(asked: api.WhatIf, options?: CallOptions): Promise<api.WhatIfAnswer> {
    return this.#transport.call(
      { method: 'POST', path: '/v1/audit/what-if', body: asked, reads: 'body' },
      options,
    );
  }

  /** The signed heads of the log, newest first, with the key that verifies them. */
  heads(
    query: api.AuditHeadsQuery = {},
    options?: CallOptions,
  ): PagedList<api.AuditHeadsAnswer['items'][number], api.AuditHeadsAnswer> {
    return new PagedList(
      (page) =>
        this.#transport.call(
          { method: 'GET', path: '/v1/audit/heads', query: { ...query, ...page } },
          options,
        ),
      query,
    );
  }

  /** The last signed head of the log, as a signed note. */
  checkpoint(options?: CallOptions): Promise<string> {
    return this.#text('/v1/audit/checkpoint', options);
  }

  /** Keep in the log that a witness confirmed one of its heads. */
  keepCosignature(
    body: api.KeepCosignatureBody,
    options?: CommandOptions,
  ): Promise<api.KeepCosignatureAnswer> {
    return this.#transport.call(
      { method: 'POST', path: '/v1/audit/cosignatures', body, changes: true },
      options,
    );
  }

  /** Proof that the event at a position is in the log, as a `.tlog-proof` file that is verified without the server. */
  proof(position: string, options?: CallOptions): Promise<string> {
    return this.#text(path`/v1/audit/events/${position}/proof`, options);
  }

  /** Compare the whole log with everything that was signed, and with a head that you have kept. */
  verify(body: api.VerifyLogBody = {}, options?: CallOptions): Promise<api.VerifyLogAnswer> {
    return this.#transport.call({ method: 'POST', path: '/v1/audit/verify', body }, options);
  }

  /** A tile of the tree over the log (C2SP tlog-tiles), such as `tile/0/000.p/5` or `tile/entries/000`. */
  async tile(name: string, options: CallOptions = {}): Promise<ArrayBuffer> {
    const response = await this.#transport.open({ method: 'GET', path: `/tlog/${name}` }, options);
    return response.arrayBuffer();
  }

  async #text(path: string, options: CallOptions = {}): Promise<string> {
    const response = await this.#transport.open({ method: 'GET', path }, options);
    return response.text();
  }

  /** Reconnects, because proxies close a stream that is idle for minutes. */
  async *#events(query: api.AuditEventsQuery, options: CallOptions = {}): AsyncGenerator<api.AuditEvent> {
    const { retries = this.#transport.retries } = options;
    let { after } = query;
    for (let failures = 0; ; failures++) {
      const response = await this.#transport.open(
        {
          method: 'GET',
          path: eventsPath,
          query: { ...query, after },
          reads: 'query',
          headers: { accept: 'application/x-ndjson' },
        },
        options,
      );
      try {
        for await (const event of linesOf<api.AuditEvent>(response)) {
          yield event;
          after = event.position;
          failures = 0;
        }
        return;
      } catch (error) {
        options.signal?.throwIfAborted();
        const isFollowed = query.follow !== undefined;
        if (!(error instanceof ConnectionLostError) || (failures >= retries && !isFollowed)) throw error;
      }
      await pause(backoffMs(failures), options.signal);
    }
  }
}
