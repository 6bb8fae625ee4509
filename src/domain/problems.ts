/**
 * Every problem a caller can meet, by its stable code: the HTTP status, a title, why it happens and what to do.
 * The reference page of error codes is generated from this table.
 */
export const problems = {
  'validation-failed': {
    status: 400,
    title: 'The request is not valid',
    remedy: 'Mend the fields that `errors` names and send the request again.',
  },
  'malformed-json': {
    status: 400,
    title: 'The body is not valid JSON',
    remedy: 'Send one JSON value in UTF-8.',
  },
  'malformed-request': {
    status: 400,
    title: 'The request is not valid HTTP',
    remedy: 'Use an HTTP client that writes the request; the connection was closed.',
  },
  'position-unknown': {
    status: 400,
    title: 'The position is malformed or of another log',
    remedy:
      'Use a `position` that this server answered, or for `asOf` a time with its offset. Drop those of a log that was replaced.',
  },
  'cursor-invalid': {
    status: 400,
    title: 'The cursor does not fit this list',
    remedy: 'Use `nextCursor` of the same list with the same filters, or start without a cursor.',
  },
  'etag-invalid': {
    status: 400,
    title: 'The If-Match header is malformed',
    remedy: 'Send the ETag of the memory, such as "3", or *.',
  },
  unauthenticated: {
    status: 401,
    title: 'No valid credential',
    remedy: 'Send `Authorization: Bearer` with an API key or a JWT that is valid now.',
  },
  forbidden: {
    status: 403,
    title: 'The credential does not allow this',
    remedy: 'Use a credential with the role or scope that `detail` names.',
  },
  'not-found': {
    status: 404,
    title: 'There is nothing here for this caller',
    remedy: 'Check the id. What the caller may not see answers the same.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'This path has no such method',
    remedy: 'Use one of the methods in the Allow header.',
  },
  'request-timeout': {
    status: 408,
    title: 'The request took too long to arrive',
    remedy: 'Send all headers at once, on a new connection.',
  },
  'external-id-taken': {
    status: 409,
    title: 'Another memory has this externalId',
    remedy: 'Update the memory that `memoryId` names, or choose another externalId.',
  },
  'memory-deleted': { status: 409, title: 'The memory is deleted', remedy: 'Restore it first.' },
  'retention-over': {
    status: 409,
    title: 'The memory can no longer be restored',
    remedy: 'Its retention has run out: store it again.',
  },
  'command-in-progress': {
    status: 409,
    title: 'The same command is still being worked on',
    remedy: 'Repeat it after Retry-After seconds with the same key.',
  },
  'rebuild-in-progress': {
    status: 409,
    title: 'The projection is already being rebuilt',
    remedy: 'Follow it with GET /v1/admin/projections.',
  },
  'rebuild-not-ready': {
    status: 409,
    title: 'There is no rebuilt generation that could be switched to',
    remedy: 'Start a rebuild and wait until its state is `ready`.',
  },
  'still-parked': {
    status: 409,
    title: 'The read model still cannot apply the event',
    remedy: 'Mend what `detail` names and retry, or skip the event.',
  },
  'revision-mismatch': {
    status: 412,
    title: 'The memory has changed',
    remedy: 'Read it again and decide anew, with its new ETag.',
  },
  'body-too-large': {
    status: 413,
    title: 'The body is too large',
    remedy: 'Send at most 8,000,000 bytes: in a body, or in one line of a bulk body.',
  },
  'content-too-large': {
    status: 413,
    title: 'The memory is too large for an event',
    remedy:
      'An event takes 1,000,000 bytes, compressed and encrypted. Store the memory in parts, or shorten the field that `errors` names.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The media type is not supported',
    remedy: 'Send the Content-Type that `detail` names, in UTF-8.',
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
    title: 'Too many memories to search as they were',
    remedy: 'Narrow the search with `layers`, `scope`, `spaces`, `tags` or `filter`.',
  },
  'match-required': {
    status: 428,
    title: 'If-Match is required',
    remedy: 'Send If-Match with the ETag of the memory, or *.',
  },
  'too-many-requests': {
    status: 429,
    title: 'Too many requests',
    remedy: 'Repeat after Retry-After seconds.',
  },
  'headers-too-large': {
    status: 431,
    title: 'The URL and the headers are too large',
    remedy: 'Send at most 16 KB of them: long filters and texts go into a body.',
  },
  internal: { status: 500, title: 'Something failed that should not', remedy: 'Report the requestId.' },
  unavailable: {
    status: 503,
    title: 'The server cannot answer now',
    remedy: 'Repeat after Retry-After seconds: nothing acknowledged is lost.',
  },
  'storage-full': {
    status: 503,
    title: 'The disk is full, or less than 64 MB of it are free',
    remedy:
      'Free space on the disk of the data folder until more than 64 MB, a reserve that the server keeps, are free; then repeat.',
  },
  'position-timeout': {
    status: 504,
    title: 'The read models have not reached the position yet',
    remedy: 'Repeat, with a larger waitMs (at most 30,000).',
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
  /** Seconds after which a repetition makes sense. */
  readonly retryAfter?: number;
  /** Further members of the problem document. */
  readonly extra?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** A refusal that its caller is told in full (RFC 9457). `detail` never holds content or secrets. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly errors: readonly FieldError[];
  readonly retryAfter: number | undefined;
  readonly extra: Readonly<Record<string, string>>;

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

/** One field that is not as it must be. */
export function invalid(path: string, message: string): Problem {
  return new Problem('validation-failed', `${path === '' ? 'the body' : path}: ${message}`, {
    errors: [{ path, message }],
  });
}
