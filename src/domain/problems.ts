import type { JsonObject } from './json.ts';

/**
 * All problems that the API returns, by stable code: HTTP status, title, and what the caller can do about it.
 * `docs/reference/problems.md` is generated from this table.
 */
export const problems = {
  'validation-failed': {
    status: 400,
    title: 'The request is not valid',
    remedy: 'Fix the fields listed in `errors` and send the request again.',
  },
  'malformed-json': {
    status: 400,
    title: 'The body is not valid JSON',
    remedy: 'Send one JSON value in UTF-8.',
  },
  'malformed-request': {
    status: 400,
    title: 'The request is not valid HTTP',
    remedy: 'The connection was closed. Send the request with a standard HTTP client.',
  },
  'position-unknown': {
    status: 400,
    title: 'The position is malformed or belongs to another log',
    remedy:
      'Use a `position` returned by this server, or for `asOf` a time with an offset. Discard positions of a log that was replaced.',
  },
  'cursor-invalid': {
    status: 400,
    title: 'The cursor does not fit this list',
    remedy: 'Use the `nextCursor` of the same list with the same filters, or start without a cursor.',
  },
  'etag-invalid': {
    status: 400,
    title: 'The If-Match or If-None-Match header is malformed',
    remedy: 'Send the ETag of the memory, such as "3", or *.',
  },
  unauthenticated: {
    status: 401,
    title: 'The credential is missing or not valid',
    remedy: 'Send `Authorization: Bearer` with an API key or JWT that has not expired or been revoked.',
  },
  'budget-exhausted': {
    status: 402,
    title: 'The budget of the tenant is used up',
    remedy:
      'Wait until `resetsAt`, or have an operator raise the budget with PUT /v1/admin/budgets. `limit` and `spent` say how much there is.',
  },
  forbidden: {
    status: 403,
    title: 'The credential does not allow this',
    remedy: 'Use a credential with the role or scope named in `detail`.',
  },
  'not-found': {
    status: 404,
    title: 'There is nothing here for this caller',
    remedy: 'Check the id. The response is the same if the caller is not allowed to see the resource.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'The method is not allowed for this path',
    remedy: 'Use one of the methods listed in the Allow header.',
  },
  'request-timeout': {
    status: 408,
    title: 'The request took too long to arrive',
    remedy: 'Send the headers at once and the body without long pauses, on a new connection.',
  },
  'first-key-must-be-admin': {
    status: 409,
    title: 'The first key of a tenant must be of role admin',
    remedy: 'Create a key with role `admin` first. It can create the others.',
  },
  'external-id-taken': {
    status: 409,
    title: 'Another memory has this externalId',
    remedy:
      'Update the memory named in `memoryId` or the document named in `documentId`, or choose another externalId. Without either, the caller cannot see what has it.',
  },
  'duplicates-resolved': {
    status: 409,
    title: 'The cluster of duplicates is resolved in another way',
    remedy: 'Take that decision back with the resolution `manual`, and then decide anew.',
  },
  'space-not-empty': {
    status: 409,
    title: 'The space has memories',
    remedy: 'Remove the label from its memories, or delete them, before you remove the space.',
  },
  'memory-deleted': { status: 409, title: 'The memory is deleted', remedy: 'Restore the memory first.' },
  'memory-archived': { status: 409, title: 'The memory is archived', remedy: 'Unarchive the memory first.' },
  'space-quota-exceeded': {
    status: 409,
    title: 'The space is full',
    remedy:
      'Delete or archive memories of the space, shorten its `retentionDays`, or have an admin raise its `maxSizeMb`.',
  },
  'awaits-review': {
    status: 409,
    title: 'The memory is held for a review, or a review has rejected it',
    remedy: 'A reviewer decides with POST /v1/reviews/{id}; GET /v1/reviews lists what waits.',
  },
  'own-memory': {
    status: 403,
    title: 'Nobody approves what it wrote',
    remedy: 'Have another reviewer decide, with a credential of its own.',
  },
  'retention-over': {
    status: 409,
    title: 'The memory can no longer be restored',
    remedy: 'Its retention period has ended: store it again.',
  },
  'command-in-progress': {
    status: 409,
    title: 'The same command is still in progress',
    remedy: 'Retry with the same key after Retry-After seconds.',
  },
  'rebuild-in-progress': {
    status: 409,
    title: 'The projection is already being rebuilt',
    remedy: 'Check its progress with GET /v1/admin/projections.',
  },
  'rebuild-not-ready': {
    status: 409,
    title: 'There is no rebuilt generation to switch to',
    remedy: 'Start a rebuild and wait until its state is `ready`.',
  },
  'still-parked': {
    status: 409,
    title: 'The read model still cannot apply the event',
    remedy: 'Fix the cause named in `detail` and retry, or skip the event.',
  },
  'no-language-model': {
    status: 409,
    title: 'No language model is configured',
    remedy: 'Set STRATALOG_LLM_BASE_URL and STRATALOG_LLM_MODEL, and start the server again.',
  },
  'not-proven': {
    status: 409,
    title: 'The policy is not proven to be better',
    remedy:
      'Wait for more decisions with outcomes: `figures` says what the log shows and `needed` how many matched deviations the next look needs. An admin can promote with `force`.',
  },
  'policy-not-live': {
    status: 409,
    title: 'The policy has no traffic to lose',
    remedy: 'GET /v1/admin/policies says which version is in force. The rule itself cannot be rolled back.',
  },
  'too-many-outcomes': {
    status: 409,
    title: 'The search has too many outcomes',
    remedy:
      'A search takes at most 50 different outcomes, and the latest one counts. Post one when the answer was used.',
  },
  'not-signed-yet': {
    status: 409,
    title: 'No signed head of the log covers this yet',
    remedy: 'Retry after Retry-After seconds. Heads are signed every minute while there are new events.',
  },
  'not-replayable': {
    status: 409,
    title: 'The search cannot be run again',
    remedy:
      '`detail` says what is missing. GET /v1/audit/searches/{searchId} shows what is left of its record.',
  },
  'revision-mismatch': {
    status: 412,
    title: 'It has changed',
    remedy: 'Read it again, reapply the change and send its new ETag.',
  },
  'personal-data-refused': {
    status: 422,
    title: 'A space of the memory refuses personal data or secrets',
    remedy: 'Remove what `errors` lists by type and place, or choose other spaces.',
  },
  'body-too-large': {
    status: 413,
    title: 'The body is too large',
    remedy: 'A body, and each line of a bulk body, may have at most 8,000,000 bytes.',
  },
  'content-too-large': {
    status: 413,
    title: 'The memory is too large for an event',
    remedy:
      'An event may take at most 1,000,000 bytes, compressed and encrypted. Split the memory, or shorten the field listed in `errors`.',
  },
  'document-too-large': {
    status: 413,
    title: 'The document is too large to be read',
    remedy: '`detail` names the limit that it exceeds. Split the document.',
  },
  'unsupported-document': {
    status: 415,
    title: 'Documents of this type cannot be read',
    remedy:
      'Send Markdown, HTML, PDF, DOCX, PPTX, XLSX, ODT, EPUB, mail, RSS, Atom, CSV, JSON, Jupyter notebooks, source code or plain text.',
  },
  'document-unreadable': {
    status: 422,
    title: 'The document cannot be read',
    remedy:
      '`detail` says what is wrong with it: damaged files must be repaired, encrypted ones opened, and scanned ones given a text layer.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The media type is not supported',
    remedy: 'Send the Content-Type named in `detail`, in UTF-8.',
  },
  'expectation-failed': {
    status: 417,
    title: 'The Expect header cannot be met',
    remedy: 'Send `Expect: 100-continue`, or no Expect at all.',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'The Idempotency-Key was used for another request',
    remedy: 'Use a fresh key for a new request.',
  },
  'as-of-scope-too-large': {
    status: 422,
    title: 'The tenant has too many memories for this question about the past',
    remedy:
      'GET with `asOf` answers for single memories and lists. A search answers if fewer than 10,000 memories are in reach: narrow it with `layers`, `scope`, `spaces`, `tags` or `filter`.',
  },
  'match-required': {
    status: 428,
    title: 'If-Match is required',
    remedy: 'Send If-Match with the ETag of the memory, or *.',
  },
  'rate-limited': {
    status: 429,
    title: 'The caller asks for more than its limit',
    remedy:
      'Retry after Retry-After seconds. `RateLimit` says what is left; an operator sees and changes limits with /v1/admin/limits.',
  },
  'headers-too-large': {
    status: 431,
    title: 'The URL and the headers are too large',
    remedy: 'Keep the URL and headers below 16 KB. Send long filters and texts in the body.',
  },
  internal: { status: 500, title: 'An unexpected error occurred', remedy: 'Report the requestId.' },
  'not-supported': {
    status: 501,
    title: 'This server does not do this',
    remedy: 'Use what `detail` names instead. Only the API of mem0 answers this.',
  },
  unavailable: {
    status: 503,
    title: 'The server cannot answer now',
    remedy: 'Retry after Retry-After seconds. Acknowledged writes are not lost.',
  },
  overloaded: {
    status: 503,
    title: 'The server has too much to do',
    remedy: 'Retry after Retry-After seconds. Nothing was done.',
  },
  'storage-full': {
    status: 503,
    title: 'The disk has less than 64 MB of free space',
    remedy: 'Free space on the disk of the data folder, then retry. The server keeps 64 MB in reserve.',
  },
  'deadline-exceeded': {
    status: 504,
    title: 'The request was not answered before its deadline',
    remedy:
      'Ask for less, or send a larger X-Request-Timeout (at most 60). A command may have been carried out: repeat it with the same Idempotency-Key.',
  },
  'position-timeout': {
    status: 504,
    title: 'The read models have not reached the position yet',
    remedy: 'Retry, if needed with a larger waitMs (at most 30,000).',
  },
} as const satisfies Record<string, { status: number; title: string; remedy: string }>;

export type ProblemCode = keyof typeof problems;

export interface FieldError {
  /** Dotted path of the field, such as `scope.team`. */
  readonly path: string;
  readonly message: string;
}

export interface ProblemOptions {
  readonly errors?: readonly FieldError[];
  /** Seconds to wait before a retry. */
  readonly retryAfter?: number;
  /** Additional members of the problem document. */
  readonly extra?: JsonObject;
  readonly cause?: unknown;
}

/** An error that is sent to the caller as a problem document (RFC 9457). `detail` never contains memory content or secrets. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly errors: readonly FieldError[];
  readonly retryAfter: number | undefined;
  readonly extra: JsonObject;

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.errors = options.errors ?? [];
    this.retryAfter = options.retryAfter;
    this.extra = options.extra ?? {};
  }

  get status(): number {
    return problems[this.code].status;
  }
}

/** A `validation-failed` problem for one field. `path` is dotted; the empty path stands for the body. */
export function invalid(path: string, message: string): Problem {
  return new Problem('validation-failed', `${path === '' ? 'the body' : path}: ${message}`, {
    errors: [{ path, message }],
  });
}
