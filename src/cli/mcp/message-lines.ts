import { Transform, type TransformCallback } from 'node:stream';
import { parseJSONRPCMessage, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { withoutNulls } from '../../mcp/message.ts';

const byteOrderMark = '\uFEFF';

/**
 * The lines of standard input that are valid messages. The library drops the others without a word, and the client would wait for
 * an answer until its own time limit: such a line is answered with an error through `answer`.
 */
export class MessageLines extends Transform {
  readonly #maxLength: number;
  readonly #answer: (line: string) => void;
  #pieces: Buffer[] = [];
  #length = 0;

  /** A line of more than `maxLength` bytes is passed on as it is. */
  constructor({
    maxLength,
    answer,
  }: {
    readonly maxLength: number;
    readonly answer: (line: string) => void;
  }) {
    super();
    this.#maxLength = maxLength;
    this.#answer = answer;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let rest = chunk;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      this.#pieces.push(rest.subarray(0, end));
      this.#pass(Buffer.concat(this.#pieces).toString('utf8'));
      this.#pieces = [];
      this.#length = 0;
      rest = rest.subarray(end + 1);
    }
    this.#pieces.push(rest);
    this.#length += rest.length;
    if (this.#length > this.#maxLength) {
      this.push(Buffer.concat(this.#pieces));
      this.#pieces = [];
      this.#length = 0;
    }
    done();
  }

  #pass(line: string): void {
    const text = line.startsWith(byteOrderMark) ? line.slice(1) : line;
    if (text.trim() === '') return;
    let message: unknown;
    try {
      message = withoutNulls(JSON.parse(text));
    } catch {
      return this.#refuse(null, ProtocolErrorCode.ParseError, 'the line is not valid JSON');
    }
    try {
      this.push(`${JSON.stringify(parseJSONRPCMessage(message))}\n`);
    } catch {
      const { id, method } = (message ?? {}) as { readonly id?: unknown; readonly method?: unknown };
      const isNotification = id === undefined && typeof method === 'string';
      const isAnswer = id !== undefined && method === undefined;
      if (isNotification || isAnswer) return;
      const isId = typeof id === 'string' || Number.isInteger(id);
      this.#refuse(
        isId ? id : null,
        ProtocolErrorCode.InvalidRequest,
        'the line is not a valid JSON-RPC 2.0 message',
      );
    }
  }

  #refuse(id: unknown, code: number, message: string): void {
    this.#answer(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`);
  }
}
