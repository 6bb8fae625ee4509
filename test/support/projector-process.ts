import { openKafkaTransport } from '../../src/adapters/kafka/transport.ts';
import { openServerStore, projectorOf } from './projector.ts';

// A projector in a child process. Prints `runs` when it has started.
const [url, brokers, prefix, rootKey] = process.argv.slice(2);
const test = await openServerStore(url!, Buffer.from(rootKey!, 'hex'));
const transport = await openKafkaTransport({ brokers: brokers!.split(',') });
const runner = await projectorOf(test, {
  transport,
  prefix: prefix!,
  holder: `projector-${process.pid}`,
  onError: (projection, error) => console.error(`${projection}: ${String(error)}`),
});
await runner.start();
process.stdout.write('runs\n');
process.once('SIGTERM', () => {
  void runner.stop().then(() => process.exit());
});
