import { errors } from '@opensearch-project/opensearch';
import { LexicalIndexUnavailable, NoSuchGeneration } from '../../ports/lexical-index.ts';

/** OpenSearch refuses what was asked, and would again: credentials, rights, a request that this version does not know. */
export class OpenSearchError extends Error {
  override readonly name = 'OpenSearchError';
  readonly status: number;
  /** OpenSearch's own name of the fault. */
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
 * The client's error as the port has it: `LexicalIndexUnavailable`, `NoSuchGeneration`, `OpenSearchError`, or itself.
 * The client's carries the request, texts and all: it goes on as no cause, since causes are logged.
 */
export function translate(error: unknown): Error {
  if (error instanceof errors.ResponseError) return ofResponse(error);
  if (error instanceof errors.ConfigurationError || error instanceof errors.SerializationError) return error;
  // No connection, no answer in time, half an answer.
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
  // OpenSearch's words about what it does not understand may quote a text.
  return new OpenSearchError(status, type, status === 401 || status === 403 ? reason : '');
}

/** Whether the same request may succeed later: overload, missing shards, a node that starts or stops, a full disk. */
export function isTransient(status: number, type: string): boolean {
  return status === 429 || status >= 500 || type === 'cluster_block_exception';
}

/** More words than a query may have (`indices.query.bool.max_clause_count`, 1024 unless set). */
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
