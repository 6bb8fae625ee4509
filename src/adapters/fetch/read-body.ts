import type { IncomingMessage } from 'node:http';
import { pipeline, Readable, type Duplex } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { FetchFailed } from '../../ports/fetcher.ts';

/** Encodings that follow one another in a single answer; more are an attempt to make us work. */
const maxEncodings = 2;

/**
 * The decompressed body, of at most `maxBytes`: reading stops there, so that a bomb takes no more memory. `onBytes` is called whenever
 * something arrives.
 */
export async function readBody(
  response: IncomingMessage,
  maxBytes: number,
  onBytes: () => void,
): Promise<Uint8Array> {
  const tooLarge = () => new FetchFailed('too-large', `the answer has more than ${maxBytes} bytes`);
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const encodings = (response.headers['content-encoding'] ?? '')
    .split(',')
    .map((each) => each.trim().toLowerCase())
    .filter((each) => each !== '' && each !== 'identity');
  if (encodings.length > maxEncodings)
    throw new FetchFailed('not-readable', 'the answer is compressed too often');
  let body = Readable.from(noting(response, onBytes), { objectMode: false });
  for (const encoding of encodings.toReversed()) body = await decoded(body, encoding);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}

/** The same bytes, decompressed. */
export function gunzipped(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let total = 0;
    const gunzip = createGunzip();
    gunzip.on('data', (chunk: Uint8Array) => {
      total += chunk.length;
      chunks.push(chunk);
      if (total > maxBytes)
        gunzip.destroy(new FetchFailed('too-large', `the answer has more than ${maxBytes} bytes`));
    });
    gunzip.once('end', () => resolve(Buffer.concat(chunks, total)));
    gunzip.once('error', (error) =>
      reject(
        error instanceof FetchFailed ? error : new FetchFailed('not-readable', 'what was sent is damaged'),
      ),
    );
    gunzip.end(bytes);
  });
}

async function* noting(response: IncomingMessage, onBytes: () => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    onBytes();
    yield chunk;
  }
}

async function decoded(body: Readable, encoding: string): Promise<Readable> {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return through(body, createGunzip());
    case 'br':
      return through(body, createBrotliDecompress());
    case 'deflate': {
      const chunks = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
      const first = await chunks.next();
      const whole = Readable.from(beginningWith(first, chunks), { objectMode: false });
      // Some servers leave out the header that `deflate` should have.
      const hasHeader = first.done === true || (first.value[0]! & 0x0f) === 8;
      return through(whole, hasHeader ? createInflate() : createInflateRaw());
    }
    default:
      throw new FetchFailed('not-readable', 'the answer is compressed in a way that was not asked for');
  }
}

async function* beginningWith<T>(first: IteratorResult<T>, rest: AsyncIterator<T>): AsyncGenerator<T> {
  for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
}

/** An error of the source ends the decoder, and the other way round. */
function through(body: Readable, decoder: Duplex): Readable {
  return pipeline(body, decoder, () => undefined);
}
