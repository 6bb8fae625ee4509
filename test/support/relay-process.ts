import { setTimeout as sleep } from 'node:timers/promises';
import { openKafkaTransport } from '../../src/adapters/kafka/transport.ts';
import { migrate } from '../../src/adapters/migrate.ts';
import { openPostgres } from '../../src/adapters/postgres/postgres.ts';
import { openSqlLeases } from '../../src/adapters/sql/leases.ts';
import { openSqlEventLog } from '../../src/adapters/sqllog/sql-event-log.ts';
import { Relay } from '../../src/relay/relay.ts';
import { relaySchema } from '../../src/relay/schema.ts';

// A relay in a child process. Prints its state whenever it changes, and stops on SIGTERM.
const [url, brokers, prefix] = process.argv.slice(2);
const sql = await openPostgres({ url: url! });
const log = await openSqlEventLog(sql);
await migrate(sql, 'relay', relaySchema);
const transport = await openKafkaTransport({ brokers: brokers!.split(',') });
const leases = await openSqlLeases(sql, `relay-${process.pid}`);
const onError = (error: unknown): void => console.error(`relay ${process.pid}: ${String(error)}`);
const relay = new Relay({ log, transport, sql, leases, prefix: prefix!, onError });
relay.start();
process.once('SIGTERM', () => {
  void relay.stop().then(() => process.exit());
});
for (let last = ''; ; await sleep(50)) {
  const state = await relay.status().then(
    (status) => status.state,
    () => last,
  );
  if (state !== last) process.stdout.write(`${state}\n`);
  last = state;
}
