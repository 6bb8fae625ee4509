import { randomBytes } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { freshDatabase } from './database.ts';
import { PrivateKurrent } from './private-kurrent.ts';

/** The parts of the shared servers that one test server uses alone. */
export interface FreshBackEnds {
  readonly environment: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

/** Creates a new database and, in the profile cluster, a new event store, topics and indexes. */
export async function freshBackEnds(profile: 'postgres' | 'cluster'): Promise<FreshBackEnds> {
  const database = await freshDatabase();
  if (profile === 'postgres')
    return { environment: { STRATALOG_POSTGRES_URL: database.url }, remove: () => database.drop() };
  const events = await PrivateKurrent.start();
  const name = `test-${randomBytes(6).toString('hex')}`;
  return {
    environment: {
      STRATALOG_POSTGRES_URL: database.url,
      STRATALOG_EVENTSTORE_URL: events.url,
      STRATALOG_KAFKA_BROKERS: kafkaBrokers(),
      STRATALOG_KAFKA_TOPIC_PREFIX: name,
      STRATALOG_OPENSEARCH_URL: openSearchUrl(),
      STRATALOG_OPENSEARCH_INDEX_PREFIX: name,
    },
    async remove() {
      await Promise.all([events.remove(), deleteTopics(name), deleteIndexes(name), database.drop()]);
    },
  };
}

function kafkaBrokers(): string {
  return process.env['STRATALOG_KAFKA_BROKERS'] ?? '127.0.0.1:9092';
}

function openSearchUrl(): string {
  return process.env['STRATALOG_OPENSEARCH_URL'] ?? 'http://127.0.0.1:9200';
}

async function deleteTopics(prefix: string): Promise<void> {
  const kafka = new Kafka({ brokers: kafkaBrokers().split(','), logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  try {
    const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(`${prefix}.`));
    if (topics.length > 0) await admin.deleteTopics({ topics });
  } finally {
    await admin.disconnect();
  }
}

async function deleteIndexes(prefix: string): Promise<void> {
  const answer = await fetch(`${openSearchUrl()}/${prefix}*`, { method: 'DELETE' });
  await answer.arrayBuffer();
}
