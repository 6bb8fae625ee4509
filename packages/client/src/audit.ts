import type * as api from './api-types.ts';
import { backoffMs } from './backoff.ts';
import { pause } from './deadline.ts';
import { ConnectionLostError } from './errors.ts';
import { linesOf } from './ndjson.ts';
import type { CallOptions } from './options.ts';
import { PagedList } from './paged-list.ts';
import { path } from './request.ts';
import type { Transport } from './transport.ts';

/** Selects events of the audit. */
export type AuditFilter = Omit<api.AuditEventsQuery, 'follow' | 'limit' | 'cursor'>;

const eventsPath = '/v1/audit/events';

/** `/v1/audit`. */
export class Audit {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List the events of the tenant in the order of the log. `await` returns one page, `for await` iterates over all. */
  events(
    query: Omit<api.AuditEventsQuery, 'follow'> = {},
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
