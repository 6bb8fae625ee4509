/** What a column of rows may hold that are bound as a whole. */
export type ColumnType =
  'text' | 'uuid' | 'integer' | 'bigint' | 'boolean' | 'double precision' | 'timestamptz' | 'jsonb';

/** How the elements of a column are written. */
interface Format<Value> {
  /** Of the element's type, in the catalogue `pg_type`. */
  readonly oid: number;
  /** What is written of an element that is not null. */
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

/** As 64 bits, without a `bigint`: in half of the time. */
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

/** PostgreSQL counts microseconds from the beginning of 2000. */
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

/** Version 1 of the format is its text. */
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
 * A column of many rows as one value to be bound: a one-dimensional array in PostgreSQL's binary format (`array_recv`), of which the
 * database reads rows in a third of the time that it takes for JSON. Times are a `Date` or ISO 8601, kept to the millisecond; `bigint`
 * is a number or its digits; `jsonb` is any value of JSON. What is undefined is null. Throws `RangeError` on an invalid time or number,
 * `SyntaxError` where a `bigint` is none, and `TypeError` where another value is not of its type.
 */
export function columnOf(type: ColumnType, values: readonly unknown[]): Uint8Array {
  const format = formats[type];
  const written = values.map((element) => {
    if (element === undefined || element === null) return { value: undefined, length: isNull };
    const value = format.of(element);
    return { value, length: format.sizeOf(value) };
  });
  const size = written.reduce((sum, { length }) => sum + lengthSize + Math.max(0, length), headerSize);
  // Not of the pool, all of which would be sent to another thread.
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

/** Of each character code the hexadecimal digit that it stands for, or -1. */
const digits = Int8Array.from({ length: 128 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()),
);

/** With or without hyphens. */
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
