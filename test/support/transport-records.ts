import { randomBytes } from 'node:crypto';
import type { OutgoingRecord, Transport } from '../../src/ports/transport.ts';

/** The transport on which a contract runs. */
export interface ContractTransport {
  readonly transport: Transport;
  /** Opens another transport with the same brokers. */
  open(): Promise<Transport>;
}

/** A new name. */
export function freshName(kind: string): string {
  return `test.${kind}.${randomBytes(5).toString('hex')}`;
}

export async function freshTopic(transport: Transport, partitions: number): Promise<string> {
  const name = freshName('topic');
  await transport.ensureTopics([{ name, partitions }]);
  return name;
}

export function record(topic: string, key: string, value: string): OutgoingRecord {
  return { topic, key, value, headers: {} };
}

/** One key per partition of a topic, in the order of the partitions. */
export function keysByPartition(transport: Transport, partitions: number): string[] {
  const keys: string[] = [];
  for (let n = 0; keys.filter(Boolean).length < partitions; n++) {
    const key = `memory-acme.${n}`;
    keys[transport.partitionOf(key, partitions)] ??= key;
  }
  return keys;
}

/** Consecutive numbers as texts: `0`, `1`, … */
export function numbers(count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, n) => String(from + n));
}
