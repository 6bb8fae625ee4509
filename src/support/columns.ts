/** Types of columns that can be bound as a whole. */
export type ColumnType =
  'text' | 'uuid' | 'integer' | 'bigint' | 'boolean' | 'double precision' | 'timestamptz' | 'jsonb';

/** Binary format of the elements of a column. */
interface Format<Value> {
  /** Oid of the element's type in the catalogue `pg_type`. */
  readonly oid: number;
  /** Converts an element that is not null into the value that is written. */
  of(element: unknown): Value;
  sizeOf(value: Value): number;
  write(bytes: Buffer, value: Value, at: number): void;
}

const utf8 = {
  sizeOf: (text: string) => Buffer.byteLength(text),
  write: (bytes: Buffer, text: string, at: number) => void bytes.write(text, at),
};

const text: Format<string> = { oid: 25, of: String, ...utf8 };

const uuid: Format<string> = { oid: 2950, of: String, sizeOf: () => 16, write: writeUuid };

const integer: Format<number> = {
  oid: 23,
  of: integerOf,
  sizeOf: () => 4,
  write: (bytes, value, at) => void bytes.writeInt32BE(value, at),
};

const bigint: Format<number | bigint> = {
  oid: 20,
  of: (element) => (Number.isSafeInteger(element) ? (element as number) : BigInt(element as number | string)),
  sizeOf: () => 8,
  write: (bytes, value, at) =>
    typeof value === 'number' ? writeSafeInteger(bytes, value, at) : void bytes.writeBigInt64BE(value, at),
};

/** Writes 64 bits without a `bigint`, which takes half of the time. */
function writeSafeInteger(bytes: Buffer, value: number, at: number): void {
  bytes.writeInt32BE(Math.floor(value / 2 ** 32), at);
  bytes.writeUInt32BE(value >>> 0, at + 4);
}

const boolean: Format<boolean> = {
  oid: 16,
  of: booleanOf,
  sizeOf: () => 1,
  write: (bytes, value, at) => void bytes.writeUInt8(value ? 1 : 0, at),
};

const double: Format<number> = {
  oid: 701,
  of: numberOf,
  sizeOf: () => 8,
  write: (bytes, value, at) => void bytes.writeDoubleBE(value, at),
};

/** PostgreSQL counts microseconds since the start of 2000. */
const postgresEpochMs = Date.UTC(2000, 0, 1);

const timestamptz: Format<number> = {
  oid: 1184,
  of: millisecondsOf,
  sizeOf: () => 8,
  write(bytes, ms, at) {
    const microseconds = (ms - postgresEpochMs) * 1_000;
    bigint.write(
      bytes,
      Number.isSafeInteger(microseconds) ? microseconds : BigInt(ms - postgresEpochMs) * 1_000n,
      at,
    );
  },
};

/** Version 1 of the binary format is the text. */
const jsonb: Format<string> = {
  oid: 3802,
  of: (element) => JSON.stringify(element),
  sizeOf: (json) => 1 + utf8.sizeOf(json),
  write: (bytes, json, at) => utf8.write(bytes, json, bytes.writeUInt8(1, at)),
};

const formats: { readonly [Type in ColumnType]: Format<unknown> } = {
  text,
  uuid,
  integer,
  bigint,
  boolean,
  'double precision': double,
  timestamptz,
  jsonb,
};

const [headerSize, lengthSize] = [20, 4];
const [dimensions, mayHoldNulls, lowerBound, isNull] = [1, 1, 1, -1];

/**
 * Encodes a column of many rows as one parameter: a one-dimensional array in PostgreSQL's binary format (`array_recv`), which the
 * database reads in a third of the time of JSON. Times are a `Date` or ISO 8601, with millisecond precision; a `bigint` is a number or
 * its digits; `jsonb` is any JSON value; undefined is null. Throws `RangeError` for an invalid time or number, `SyntaxError` for an
 * invalid `bigint`, and `TypeError` for other values of the wrong type.
 */
export function columnOf(type: ColumnType, values: readonly unknown[]): Uint8Array {
  const format = formats[type];
  const written = values.map((element) => {
    if (element === undefined || element === null) return { value: undefined, length: isNull };
    const value = format.of(element);
    return { value, length: format.sizeOf(value) };
  });
  const size = written.reduce((sum, { length }) => sum + lengthSize + Math.max(0, length), headerSize);
  // Not from Buffer's pool, because the whole pool would be copied to another thread.
  const bytes = Buffer.allocUnsafeSlow(size);
  let at = 0;
  // Dimensions, whether there are nulls, the type, size and lower bound; then each element behind its length.
  for (const field of [dimensions, mayHoldNulls, format.oid, values.length, lowerBound])
    at = bytes.writeInt32BE(field, at);
  for (const { value, length } of written) {
    at = bytes.writeInt32BE(length, at);
    if (length === isNull) continue;
    format.write(bytes, value, at);
    at += length;
  }
  return bytes;
}

function numberOf(element: unknown): number {
  if (typeof element !== 'number') throw new TypeError(`not a number: ${String(element)}`);
  return element;
}

function integerOf(element: unknown): number {
  const number = numberOf(element);
  if (!Number.isInteger(number)) throw new RangeError(`not an integer: ${number}`);
  return number;
}

function booleanOf(element: unknown): boolean {
  if (typeof element !== 'boolean') throw new TypeError(`not a boolean: ${String(element)}`);
  return element;
}

function millisecondsOf(element: unknown): number {
  const ms = element instanceof Date ? element.getTime() : Date.parse(String(element));
  if (Number.isNaN(ms)) throw new RangeError(`not a time: ${String(element)}`);
  return ms;
}

/** Value of each hexadecimal digit by character code; -1 for other characters. */
const digits = Int8Array.from({ length: 128 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()),
);

/** Writes a UUID, with or without hyphens. */
function writeUuid(bytes: Buffer, id: string, at: number): void {
  let size = 0;
  for (let from = 0; from < id.length;) {
    if (id.charCodeAt(from) === hyphen) {
      from += 1;
      continue;
    }
    const high = digits[id.charCodeAt(from)] ?? -1;
    const low = digits[id.charCodeAt(from + 1)] ?? -1;
    if (high < 0 || low < 0 || size === 16) throw notAUuid(id);
    bytes[at + size] = (high << 4) | low;
    size += 1;
    from += 2;
  }
  if (size !== 16) throw notAUuid(id);
}

const hyphen = '-'.charCodeAt(0);

function notAUuid(id: string): TypeError {
  return new TypeError(`not a uuid: ${id}`);
}
