import type { RawBody } from './transport.ts';

/** A line as an object, or a part of NDJSON that is sent as it is, with its own line breaks. */
export type LinePart<Line extends object> = Line | string | Uint8Array;

type Parts<Line extends object> = Iterable<LinePart<Line>> | AsyncIterable<LinePart<Line>>;

/**
 * Lines to send. An array or a text can be sent again when the connection is lost, and so can a function, which is called
 * for each attempt; anything else can be read only once.
 */
export type LineSource<Line extends object> = Parts<Line> | string | (() => Parts<Line>);

/** An NDJSON body. */
export class RequestBody<Line extends object> implements RawBody {
  readonly contentType = 'application/x-ndjson';
  readonly #source: LineSource<Line>;
  #isUsed = false;
  /** The error that the source has thrown. */
  failure: { readonly error: unknown } | undefined;

  constructor(source: LineSource<Line>) {
    this.#source = source;
  }

  canRepeat(): boolean {
    const source = this.#source;
    const isRepeatable = typeof source === 'function' || typeof source === 'string' || Array.isArray(source);
    return this.failure === undefined && (isRepeatable || !this.#isUsed);
  }

  async body(): Promise<string | Blob | ReadableStream<Uint8Array>> {
    this.#isUsed = true;
    const source = this.#source;
    if (typeof source === 'string') return source;
    const parts = typeof source === 'function' ? source() : source;
    if (Array.isArray(parts)) return blobOf((parts as LinePart<Line>[]).map(textOf));
    return canStream() ? this.#stream(parts) : this.#collected(parts);
  }

  #stream(parts: Parts<Line>): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    const iterator = Symbol.asyncIterator in parts ? parts[Symbol.asyncIterator]() : parts[Symbol.iterator]();
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          const { value, done } = await iterator.next();
          if (done) return controller.close();
          const part = textOf(value);
          controller.enqueue(typeof part === 'string' ? encoder.encode(part) : part);
        } catch (error) {
          this.failure = { error };
          controller.error(error);
        }
      },
      cancel: async () => {
        await iterator.return?.();
      },
    });
  }

  async #collected(parts: Parts<Line>): Promise<Blob> {
    const texts: (string | Uint8Array)[] = [];
    try {
      for await (const part of parts) texts.push(textOf(part));
    } catch (error) {
      this.failure = { error };
      throw error;
    }
    return blobOf(texts);
  }
}

function textOf(part: object | string | Uint8Array): string | Uint8Array {
  return typeof part === 'string' || part instanceof Uint8Array ? part : `${JSON.stringify(part)}\n`;
}

function blobOf(parts: readonly (string | Uint8Array)[]): Blob {
  return new Blob(parts as ConstructorParameters<typeof Blob>[0]);
}

/** Whether `fetch` accepts a stream as a body. Browsers do not over HTTP/1.1. */
function canStream(): boolean {
  return !('document' in globalThis) && !('WorkerGlobalScope' in globalThis);
}
