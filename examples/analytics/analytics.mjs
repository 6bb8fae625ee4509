// Fills a DuckDB file from the events of Stratalog and answers three questions. See README.md.
import { parseArgs } from 'node:util';
import { auditBatches } from './audit.mjs';
import { printAnswers } from './answers.mjs';
import { openStore } from './store.mjs';

const usage = `node analytics.mjs [--db FILE] [--kafka HOST:PORT,…] [--topics PREFIX] [--url URL] [--follow]

Reads Kafka's topics if --kafka or STRATALOG_KAFKA_BROKERS names a broker, else the audit stream of STRATALOG_URL
(default http://127.0.0.1:8080) with STRATALOG_API_KEY, a key of role auditor.`;

async function main() {
  const { values } = parseArgs({
    options: {
      db: { type: 'string', default: 'analytics.duckdb' },
      kafka: { type: 'string', default: process.env.STRATALOG_KAFKA_BROKERS },
      topics: { type: 'string', default: process.env.STRATALOG_KAFKA_TOPIC_PREFIX ?? 'stratalog' },
      url: { type: 'string', default: process.env.STRATALOG_URL ?? 'http://127.0.0.1:8080' },
      follow: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(usage);
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const store = await openStore(values.db, values.kafka ? 'kafka' : 'audit');
  const { follow } = values;
  const batches = values.kafka
    ? (await import('./kafka.mjs')).kafkaBatches(store, {
        brokers: values.kafka,
        prefix: values.topics,
        follow,
        stop: stop.signal,
      })
    : auditBatches(store, { url: values.url, key: process.env.STRATALOG_API_KEY, follow, stop: stop.signal });
  let added = 0;
  for await (const batch of batches) {
    added += await store.add(batch);
    if (process.stderr.isTTY) process.stderr.write(`\r${added} events`);
  }
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  console.log(`${added} new events in ${values.db}\n`);
  await printAnswers(store);
  store.close();
}

// A reader such as `head` may close the pipe.
process.stdout.on('error', () => process.exit());

main().catch((error) => {
  console.error(
    error.code?.startsWith?.('ERR_PARSE_ARGS') ? `${error.message}\n\n${usage}` : `error: ${error.message}`,
  );
  process.exitCode = 1;
});
