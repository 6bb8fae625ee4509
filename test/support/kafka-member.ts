import { openKafkaTransport } from '../../src/adapters/kafka/transport.ts';

// A member of a consumer group in a process of its own: prints how many partitions it was given or has lost, and each
// value that it took.
const [brokers, group, topic] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const transport = await openKafkaTransport({ brokers: brokers!.split(',') });
await transport.consume({
  group: group!,
  topics: [topic!],
  assigned: async (partitions) => say(`assigned ${partitions.length}`),
  revoked: (partitions) => say(`revoked ${partitions.length}`),
  handle: async ({ records }) => {
    for (const { key, value } of records) say(`took ${key} ${value}`);
  },
  signal: new AbortController().signal,
});
