import type { SqlValue } from '../../ports/sql.ts';

/** A parameter as it is sent: text format, or binary format for bytes. */
export type WireValue = string | Uint8Array | null;

/** Converts a value to PostgreSQL's text format, or bytes to the binary format. Throws `RangeError` for an invalid date. */
export function toWire(value: Exclude<SqlValue, Float32Array>): WireValue {
  if (value === null || value instanceof Uint8Array) return value;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'object') return `{${value.map(arrayElement).join(',')}}`;
  return String(value);
}

function arrayElement(value: string | number): string {
  return typeof value === 'number' ? String(value) : `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}

type Decode = (text: string) => unknown;

const number: Decode = Number;
/** Converted to ISO 8601 first: in `0014-08-19 00:00:00+00` V8 would read the year as a day. */
const utc: Decode = (text) => new Date(`${text.replace(' ', 'T')}Z`);
const date: Decode = (text) =>
  text.endsWith('+00')
    ? utc(text.slice(0, -3))
    : new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'));
const bytes: Decode = (text) => new Uint8Array(Buffer.from(text.slice(2), 'hex'));
const string: Decode = (text) => text;

/** Type oids (catalogue `pg_type`) of values and their arrays. Values of other types remain text. */
const types: readonly (readonly [oid: number, arrayOid: number, decode: Decode])[] = [
  [16, 1000, (text) => text === 't'],
  [17, 1001, bytes],
  [19, 1003, string],
  [20, 1016, number],
  [21, 1005, number],
  [23, 1007, number],
  [25, 1009, string],
  [26, 1028, number],
  [114, 199, JSON.parse],
  [700, 1021, number],
  [701, 1022, number],
  [1042, 1014, string],
  [1043, 1015, string],
  [1114, 1115, utc],
  [1184, 1185, date],
  [1700, 1231, string],
  [2950, 2951, string],
  [3802, 3807, JSON.parse],
];

const decoders = new Map<number, Decode>(
  types.flatMap(([oid, arrayOid, decode]) => [
    [oid, decode],
    [arrayOid, (text: string) => decodeArray(text, decode)],
  ]),
);

/** The decoder for a type oid: int8 to number, timestamptz to Date, json to its value, bytea to bytes. */
export function decoderOf(oid: number): Decode {
  return decoders.get(oid) ?? string;
}

/** Reads PostgreSQL's text format of arrays, `{1,NULL,"a,b",{2}}`, nested to any depth. */
function decodeArray(text: string, decode: Decode): unknown[] {
  // Fast path for flat arrays without quotes, such as numbers and ids.
  if (text.startsWith('{') && !/["{]/.test(text.slice(1))) {
    const elements = text === '{}' ? [] : text.slice(1, -1).split(',');
    return elements.map((element) => (element === 'NULL' ? null : decode(element)));
  }
  const token = /[{}]|"((?:[^"\\]|\\.)*)"|[^{},]+/gs;
  const open: unknown[][] = [[]];
  // Skips lower bounds other than 1: `[0:1]={…}`.
  token.lastIndex = text.indexOf('{');
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [whole, quoted] = match;
    if (whole === '{') {
      const inner: unknown[] = [];
      open.at(-1)!.push(inner);
      open.push(inner);
    } else if (whole === '}') open.pop();
    else if (quoted !== undefined) open.at(-1)!.push(decode(quoted.replaceAll(/\\(.)/gs, '$1')));
    else open.at(-1)!.push(whole === 'NULL' ? null : decode(whole));
  }
  return open[0]![0] as unknown[];
}
