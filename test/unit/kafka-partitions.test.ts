import fc from 'fast-check';
import { Partitioners } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { murmur2, partitionOf } from '../../src/adapters/kafka/murmur2.ts';

/** Results of Java's `org.apache.kafka.common.utils.Utils.murmur2` (kafka-clients 4.3.1). */
const javaHashes: [string, number][] = [
  ['', 275646681],
  ['a', -1563381124],
  ['ab', 316155434],
  ['abc', 479470107],
  ['21', -973932308],
  ['foobar', -790332482],
  ['a-little-bit-long-string', -985981536],
  ['memory-acme.0198c2f0-7b1a-7c3e-9d4f-1a2b3c4d5e6f', -206629800],
  ['Straße-Ω-😀', -1170350515],
];

describe('the partition of a key in Kafka', () => {
  it.each(javaHashes)("[G2] hashes '%s' as Java does", (key, hash) => {
    expect(murmur2(Buffer.from(key))).toBe(hash);
    expect(partitionOf(key, 12)).toBe((hash & 0x7fffffff) % 12);
  });

  it('[G2] equals the partition that kafkajs chooses', () => {
    const choose = Partitioners.DefaultPartitioner();
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 64 }), (key, partitions) => {
        const partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => ({
          partitionId,
          leader: 1,
          partitionErrorCode: 0,
          replicas: [1],
          isr: [1],
        }));
        const chosen = choose({ topic: 'any', partitionMetadata, message: { key, value: '' } });
        expect(partitionOf(key, partitions)).toBe(chosen);
      }),
    );
  });
});
