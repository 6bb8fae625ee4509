import { errors } from '@opensearch-project/opensearch';
import { LexicalIndexUnavailable, NoSuchGeneration } from '../../ports/lexical-index.ts';

/** OpenSearch rejected the request and would do so again: credentials, rights, a request that this version does not support. */
export class OpenSearchError extends Error {
  override readonly name = 'OpenSearchError';
  readonly status: number;
  /** OpenSearch's type of the error. */
  readonly type: string;

  constructor(status: number, type: string, detail: string) {
    super(`OpenSearch answers ${[status, type].join(' ').trim()}${detail && `: ${detail}`}`);
    this.status = status;
    this.type = type;
  }
}

interface Fault {
  readonly type?: string;
  readonly reason?: string;
}

/**
 * Converts an error of the client into `LexicalIndexUnavailable`, `NoSuchGeneration` or `OpenSearchError`; returns others unchanged.
 * The original contains the request with its texts. It is not kept as the cause, because causes are logged.
 */
export function translate(error: unknown): Error {
  if (error instanceof errors.ResponseError) return ofResponse(error);
  if (error instanceof errors.ConfigurationError || error instanceof errors.SerializationError) return error;
  // No connection, no answer in time, or an incomplete answer.
  if (error instanceof errors.OpenSearchClientError)
    return new LexicalIndexUnavailable(`OpenSearch cannot be reached: ${error.message}`);
  return error instanceof Error ? error : new Error(String(error));
}

function ofResponse(error: errors.ResponseError): Error {
  const status = error.statusCode;
  const { type = '', reason = '' } = faultOf(error);
  if (isTransient(status, type) || has(error, /"search_context_missing_exception"/))
    return new LexicalIndexUnavailable(`OpenSearch cannot serve this now: ${status} ${type}`.trim());
  if (type === 'index_not_found_exception') return new NoSuchGeneration(reason);
  // OpenSearch's reason may quote a text, except for errors of authentication.
  return new OpenSearchError(status, type, status === 401 || status === 403 ? reason : '');
}

/** Whether the same request may succeed later: overload, missing shards, a starting or stopping node, a full disk. */
export function isTransient(status: number, type: string): boolean {
  return status === 429 || status >= 500 || type === 'cluster_block_exception';
}

/** Whether the query has more words than allowed (`indices.query.bool.max_clause_count`, 1024 by default). */
export function hasTooManyWords(error: unknown): boolean {
  return error instanceof errors.ResponseError && has(error, /"too_many_(nested_)?clauses"/);
}

export function alreadyExists(error: unknown): boolean {
  return error instanceof errors.ResponseError && faultOf(error).type === 'resource_already_exists_exception';
}

function faultOf(error: errors.ResponseError): Fault {
  const body: unknown = error.meta.body;
  const fault = typeof body === 'object' && body !== null ? (body as { error?: unknown }).error : body;
  if (typeof fault === 'object' && fault !== null) return fault;
  return typeof fault === 'string' ? { reason: fault.slice(0, 300) } : {};
}

function has(error: errors.ResponseError, pattern: RegExp): boolean {
  return pattern.test(JSON.stringify(error.meta.body ?? ''));
}
