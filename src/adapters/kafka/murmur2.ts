const seed = 0x9747b28c;
const factor = 0x5bd1e995;

/**
 * The partition that Java's client and most others choose for `key`: murmur2 of the UTF-8 bytes with the sign bit
 * cleared, modulo `partitions` (Kafka's `BuiltInPartitioner.partitionForKey`).
 */
export function partitionOf(key: string, partitions: number): number {
  return (murmur2(Buffer.from(key)) & 0x7fffffff) % partitions;
}

/** 32-bit MurmurHash2 (A. Appleby) with Kafka's seed, signed as in `org.apache.kafka.common.utils.Utils.murmur2`. */
export function murmur2(bytes: Buffer): number {
  const whole = bytes.length & ~3;
  let hash = seed ^ bytes.length;
  for (let at = 0; at < whole; at += 4) {
    let word = Math.imul(bytes.readInt32LE(at), factor);
    word = Math.imul(word ^ (word >>> 24), factor);
    hash = Math.imul(hash, factor) ^ word;
  }
  if (whole < bytes.length) {
    for (let at = bytes.length - 1; at >= whole; at--) hash ^= bytes[at]! << (8 * (at - whole));
    hash = Math.imul(hash, factor);
  }
  hash = Math.imul(hash ^ (hash >>> 13), factor);
  return hash ^ (hash >>> 15);
}
