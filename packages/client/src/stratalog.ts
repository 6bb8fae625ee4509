import { Admin } from './admin.ts';
import type * as api from './api-types.ts';
import { Audit } from './audit.ts';
import { Memories } from './memories.ts';
import { Reasoning } from './reasoning.ts';
import type { CallOptions, CommandOptions, StratalogOptions } from './options.ts';
import { path, type ApiRequest, type RequestOptions } from './request.ts';
import { Documents } from './documents.ts';
import { Duplicates } from './duplicates.ts';
import { Reviews } from './reviews.ts';
import { Sources } from './sources.ts';
import { Spaces } from './spaces.ts';
import { Summaries } from './summaries.ts';
import { Transport } from './transport.ts';

/**
 * A client of a Stratalog server. It repeats calls that may succeed later, each command under one idempotency key, and
 * its reads include what it has written.
 */
export class Stratalog {
  readonly memories: Memories;
  readonly reasoning: Reasoning;
  readonly summaries: Summaries;
  readonly spaces: Spaces;
  readonly documents: Documents;
  readonly sources: Sources;
  readonly duplicates: Duplicates;
  readonly reviews: Reviews;
  readonly audit: Audit;
  readonly admin: Admin;
  readonly #transport: Transport;

  /** Throws a `TypeError` if the address or the key is malformed. */
  constructor(options: StratalogOptions | Transport = {}) {
    const transport = options instanceof Transport ? options : new Transport(options);
    this.#transport = transport;
    this.memories = new Memories(transport);
    this.reasoning = new Reasoning(transport);
    this.summaries = new Summaries(transport);
    this.spaces = new Spaces(transport);
    this.documents = new Documents(transport);
    this.sources = new Sources(transport);
    this.duplicates = new Duplicates(transport);
    this.reviews = new Reviews(transport);
    this.audit = new Audit(transport);
    this.admin = new Admin(transport);
  }

  get url(): string {
    return this.#transport.url;
  }

  /** The position of the latest command; reads of this client include it. Pass it to `remember` of another client. */
  get position(): string | undefined {
    return this.#transport.seen.latest;
  }

  /** Makes the reads of this client include what another client has written; `position` is that client's `position`. */
  remember(position: string): void {
    this.#transport.seen.add(position);
  }

  /** A client with the same connection and positions that acts for a user; for keys of role `agent`. */
  onBehalfOf(user: string | undefined): Stratalog {
    return new Stratalog(this.#transport.onBehalfOf(user));
  }

  /** Search the memories that the caller can see. */
  search(request: api.Search, options?: CallOptions): Promise<api.SearchAnswer> {
    return this.#transport.call(
      { method: 'POST', path: '/v1/search', body: request, reads: 'body' },
      options,
    );
  }

  /** Search, and explain why each memory was returned or left out. For keys of role `auditor` or `admin`. */
  explainSearch(request: api.Search, options?: CallOptions): Promise<api.SearchExplanation> {
    return this.#transport.call(
      { method: 'POST', path: '/v1/search/explain', body: request, reads: 'body' },
      options,
    );
  }

  /** The best text about a question that fits into a token budget, with its sources. */
  context(request: api.Context, options?: CallOptions): Promise<api.ContextAnswer> {
    return this.#transport.call(
      { method: 'POST', path: '/v1/context', body: request, reads: 'body' },
      options,
    );
  }

  /**
   * Record what was said: each message becomes a memory of the session layer. Where a language model is configured, facts are drawn from
   * them later.
   */
  converse(
    conversation: api.RecordConversation,
    options?: CommandOptions,
  ): Promise<api.RecordedConversation> {
    return this.#transport.call(
      { method: 'POST', path: '/v1/conversations', body: conversation, changes: true },
      options,
    );
  }

  /** Say which results of a search were used: `used` are ids of its memories, none if nothing was. The latest outcome counts. */
  outcome(
    searchId: string,
    outcome: api.PostedOutcome,
    options?: CommandOptions,
  ): Promise<api.PostOutcomeAnswer> {
    return this.#transport.call(
      { method: 'POST', path: path`/v1/searches/${searchId}/outcome`, body: outcome, changes: true },
      options,
    );
  }

  /** End a session: results that it has not used by now count as ignored. */
  endSession(sessionId: string, options?: CommandOptions): Promise<api.EndSessionAnswer> {
    return this.#transport.call(
      { method: 'POST', path: path`/v1/sessions/${sessionId}/end`, changes: true },
      options,
    );
  }

  /** Counts, sizes and use. */
  stats(query: api.StatsQuery = {}, options?: CallOptions): Promise<api.Stats> {
    return this.#transport.call({ method: 'GET', path: '/v1/stats', query, reads: 'query' }, options);
  }

  /** Whom the credential stands for, and which operations its role can use. */
  whoami(options?: CallOptions): Promise<api.Caller> {
    return this.#transport.call({ method: 'GET', path: '/v1/whoami' }, options);
  }

  /** The embedding models and language models of the server. */
  models(options?: CallOptions): Promise<api.ModelsAnswer> {
    return this.#transport.call({ method: 'GET', path: '/v1/models' }, options);
  }

  /** State of the server. Resolves even if the server is not ready. */
  readiness(options?: CallOptions): Promise<api.ReadyzAnswer> {
    return this.#transport.call({ method: 'GET', path: '/readyz', alsoAnswers: 503 }, options);
  }

  /** Any call of the API, such as one that this client has no method for, with its repetitions and positions. */
  call<Answer>(request: ApiRequest, options?: RequestOptions): Promise<Answer> {
    return this.#transport.call(request, options);
  }
}
