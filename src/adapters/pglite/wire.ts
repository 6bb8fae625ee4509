import type { WireValue } from '../sql/values.ts';

const [asText, asBinary] = [0, 1];
/** The length of a value that is null. */
const isNull = -1;
/** Types of parameters, or formats of columns, of which none is said: PostgreSQL finds the types, and all columns come as text. */
const noneSaid = 0;

/** One message of the frontend (PostgreSQL's manual, "Message Formats"), in one piece of memory of its size. */
class Message {
  readonly bytes: Buffer;
  #at = 0;

  /** `size` is that of what is written after it. */
  constructor(type: string, size: number) {
    this.bytes = Buffer.allocUnsafe(1 + 4 + size);
    // The length counts itself and not the type.
    this.letter(type).int32(4 + size);
  }

  letter(letter: string): this {
    this.#at = this.bytes.writeUInt8(letter.charCodeAt(0), this.#at);
    return this;
  }

  int16(value: number): this {
    this.#at = this.bytes.writeUInt16BE(value, this.#at);
    return this;
  }

  int32(value: number): this {
    this.#at = this.bytes.writeInt32BE(value, this.#at);
    return this;
  }

  /** With the NUL that ends it. */
  text(text: string): this {
    this.#at += this.bytes.write(text, this.#at);
    this.#at = this.bytes.writeUInt8(0, this.#at);
    return this;
  }

  /** With its length, `size`, before it. */
  value(value: WireValue, size: number): this {
    this.int32(size);
    if (typeof value === 'string') this.#at += this.bytes.write(value, this.#at);
    else if (value) {
      this.bytes.set(value, this.#at);
      this.#at += size;
    }
    return this;
  }
}

/** The portal without a name: what its columns are, all of its rows, and then ready for more. */
const describeExecuteSync = Buffer.concat([
  new Message('D', 1 + sizeOf('')).letter('P').text('').bytes,
  new Message('E', sizeOf('') + 4).text('').int32(0).bytes,
  new Message('S', 0).bytes,
]);

/**
 * The extended protocol in one message: a statement without a name, parsed and executed once. PGlite brings a writer along,
 * which takes 10 µs for each kilobyte of a parameter: of a large insert that was as much as a quarter of PostgreSQL's own time.
 */
export function statementMessage(text: string, params: readonly WireValue[]): Uint8Array {
  return Buffer.concat([parseMessage(text), bindMessage(params, ''), describeExecuteSync]);
}

/** Keeps the statement under `name`; without one until the next. */
export function parseMessage(text: string, name = ''): Uint8Array {
  const message = new Message('P', sizeOf(name) + sizeOf(checked(text)) + 2);
  return message.text(name).text(text).int16(noneSaid).bytes;
}

/** Executes a statement that was parsed, with a sync at its end. */
export function executeMessage(params: readonly WireValue[], statement: string): Uint8Array {
  return Buffer.concat([bindMessage(params, statement), describeExecuteSync]);
}

/** Has the statement of that name forgotten. */
export function closeMessage(name: string): Uint8Array {
  return new Message('C', 1 + sizeOf(name)).letter('S').text(name).bytes;
}

/** The simple protocol. Several statements in one text run as one transaction unless they say otherwise. */
export function scriptMessage(text: string): Uint8Array {
  return new Message('Q', sizeOf(checked(text))).text(text).bytes;
}

/** Binds the portal without a name. */
function bindMessage(params: readonly WireValue[], statement: string): Uint8Array {
  const sizes = params.map(sizeOfValue);
  const values = sizes.reduce((sum, size) => sum + 4 + Math.max(0, size), 0);
  const message = new Message('B', sizeOf('') + sizeOf(statement) + 6 + 2 * params.length + values);
  message.text('').text(statement).int16(params.length);
  for (const param of params) message.int16(param instanceof Uint8Array ? asBinary : asText);
  message.int16(params.length);
  for (const [index, param] of params.entries()) message.value(param, sizes[index]!);
  return message.int16(noneSaid).bytes;
}

function sizeOf(text: string): number {
  return Buffer.byteLength(text) + 1;
}

function sizeOfValue(value: WireValue): number {
  if (value === null) return isNull;
  return typeof value === 'string' ? Buffer.byteLength(value) : value.byteLength;
}

/** A NUL would end the text early and leave the rest to be read as protocol. */
function checked(text: string): string {
  if (text.includes('\0')) throw new TypeError('a statement cannot hold a NUL character');
  return text;
}
