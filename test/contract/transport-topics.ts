import { describe, expect, it } from 'vitest';
import { TopicMismatch } from '../../src/ports/transport.ts';
import { freshName, freshTopic, record, type ContractTransport } from '../support/transport-records.ts';

export function topicContract(contract: ContractTransport): void {
  describe('topics', () => {
    it('[G2] creates missing topics once, despite concurrent and repeated calls', async () => {
      const { transport } = contract;
      const other = await contract.open();
      const topics = [1, 3, 12].map((partitions) => ({ name: freshName('topic'), partitions }));
      await Promise.all([transport.ensureTopics(topics.slice(0, 2)), other.ensureTopics(topics.slice(1))]);
      await transport.ensureTopics(topics);
      for (const { name, partitions } of topics) {
        expect(await transport.partitions(name)).toBe(partitions);
        expect(await other.partitions(name)).toBe(partitions);
        await transport.publish([record(name, 'key', 'taken at once')]);
      }
    });

    it('[G2] rejects a topic with another number of partitions, and creates no other', async () => {
      const { transport } = contract;
      const existing = await freshTopic(transport, 3);
      const missing = freshName('topic');
      const wanted = [
        { name: missing, partitions: 2 },
        { name: existing, partitions: 4, retentionMs: 60_000 },
      ];
      await expect(transport.ensureTopics(wanted)).rejects.toThrow(TopicMismatch);
      expect(await transport.partitions(existing)).toBe(3);
      await expect(transport.partitions(missing)).rejects.toThrow(missing);
    });

    it('[G2] rejects a publish to a topic that does not exist, and continues to work', async () => {
      const { transport } = contract;
      const missing = freshName('topic');
      await expect(transport.publish([record(missing, 'key', 'lost')])).rejects.toThrow(missing);
      const topic = await freshTopic(transport, 1);
      await transport.publish([record(topic, 'key', 'kept')]);
    });
  });
}
