import { openKafkaTransport } from '../../src/adapters/kafka/transport.ts';

// A member of a consumer group in a child process. Prints the number of partitions when it is assigned or loses some, and each
// value that it has handled.
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
