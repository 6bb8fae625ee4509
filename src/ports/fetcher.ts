import type { RunProblem } from '../domain/sources/events.ts';

export interface FetchRequest {
  readonly url: string;
  /** What the last answer said: the server need not send again what has not changed since. */
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
  /** Pause before the next request to the same host. Default: that of the fetcher. */
  readonly pauseMs?: number | undefined;
  /** Whether a file that is compressed with gzip is decompressed, as sitemaps may be. */
  readonly gunzip?: boolean | undefined;
}

export interface Fetched {
  readonly status: number;
  /** The server says that nothing has changed; there are no bytes. */
  readonly notModified: boolean;
  readonly bytes: Uint8Array;
  readonly mediaType: string | undefined;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
  /** Where the bytes come from, after redirects. */
  readonly url: string;
}

/** Reads from other servers. It reaches public addresses alone, and those that an operator allowed. */
export interface Fetcher {
  /** Throws `FetchFailed` unless the server answers with 2xx or 304. */
  fetch(request: FetchRequest, signal: AbortSignal): Promise<Fetched>;
}

export type FetchReason = Extract<
  RunProblem,
  'not-allowed' | 'unreachable' | 'timed-out' | 'too-large' | 'refused' | 'not-readable'
>;

/** Nothing was fetched. The message names no address of an internal host. */
export class FetchFailed extends Error {
  override readonly name = 'FetchFailed';
  readonly reason: FetchReason;
  /** The status of the answer, if there was one. */
  readonly status: number | undefined;
  /** Until when the server wants to be left alone. */
  readonly notBefore: Date | undefined;

  constructor(
    reason: FetchReason,
    message: string,
    { status, notBefore }: { readonly status?: number; readonly notBefore?: Date | undefined } = {},
  ) {
    super(message);
    this.reason = reason;
    this.status = status;
    this.notBefore = notBefore;
  }
}
