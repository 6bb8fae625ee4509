import { randomBytes } from 'node:crypto';
import type { OutgoingRecord, Transport } from '../../src/ports/transport.ts';

/** The transport that a contract is run on. */
export interface ContractTransport {
  readonly transport: Transport;
  /** Another handle of the same brokers. */
  open(): Promise<Transport>;
}

/** A name that no other test uses. */
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

/** A key for each of the partitions 0, 1, … of a topic. */
export function keysByPartition(transport: Transport, partitions: number): string[] {
  const keys: string[] = [];
  for (let n = 0; keys.filter(Boolean).length < partitions; n++) {
    const key = `memory-acme.${n}`;
    keys[transport.partitionOf(key, partitions)] ??= key;
  }
  return keys;
}

/** Numbers as texts: `0`, `1`, … */
export function numbers(count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, n) => String(from + n));
}
