import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const pool = Buffer.allocUnsafeSlow(16_384);
let used = pool.length;

/**
 * `size` bytes from the system's generator, which is called once for many requests: a call for each key, nonce and id took a
 * fifteenth of the time of a store. Returned bytes are wiped from the pool.
 */
export function randomBytes(size: number): Buffer {
  if (used + size > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = Buffer.from(pool.subarray(used, used + size));
  pool.fill(0, used, used + size);
  used += size;
  return bytes;
}

let lastMs = -Infinity;
let sequence = 0;

/** A new UUIDv7. Ids of this process are ascending, also within a millisecond (RFC 9562, section 6.2, method 1). */
export function newId(): string {
  const random = randomBytes(16);
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    sequence = random.readUInt32BE(6) & 0x7fff_ffff;
  } else {
    sequence = (sequence + 1) | 0;
    if (sequence === 0) lastMs++;
  }
  return v7({ random, msecs: lastMs, seq: sequence });
}
