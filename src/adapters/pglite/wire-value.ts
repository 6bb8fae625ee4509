import type { SqlValue } from '../../ports/sql.ts';
import { toWire, type WireValue } from '../sql/values.ts';

/** A bound value as PGlite receives it: vectors in binary format, which costs the least to write and to read. */
export function toPgliteWire(value: SqlValue): WireValue {
  return value instanceof Float32Array ? vector(value) : toWire(value);
}

/** As pgvector's `vector_recv` reads it: dimension and a reserved 0 as int16, then each number as float4, big-endian. */
function vector(numbers: Float32Array): Uint8Array {
  // Not from the shared pool, all of which would be sent to the engine's thread.
  const bytes = Buffer.allocUnsafeSlow(4 + 4 * numbers.length);
  bytes.writeUInt16BE(numbers.length, 0);
  bytes.writeUInt16BE(0, 2);
  let at = 4;
  for (const number of numbers) at = bytes.writeFloatBE(number, at);
  return bytes;
}
