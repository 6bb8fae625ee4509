import type { Admin } from 'kafkajs';
import type { Inspection } from '../../ports/inspection.ts';
import type { TopicDefinition } from '../../ports/transport.ts';
import { openClient } from './client.ts';
import { translate } from './errors.ts';
import { maxBatchBytes, type KafkaTransportOptions } from './options.ts';

/** kafkajs' resource type for topics. */
const topicResource = 2;

/** Number of brokers and id of the cluster; Kafka's protocol has no version. Rejects as `openKafkaTransport` does. */
export function askKafka(options: KafkaTransportOptions, answerMs: number): Promise<string> {
  return withAdmin(options, answerMs, async (admin) => describe(await admin.describeCluster()));
}

/** Compares existing topics with their definitions, and checks whether the cluster can hold their replicas. */
export function inspectKafka(
  options: KafkaTransportOptions,
  topics: readonly TopicDefinition[],
  answerMs: number,
): Promise<Inspection> {
  return withAdmin(options, answerMs, async (admin) => {
    const cluster = await admin.describeCluster();
    const brokers = cluster.brokers.length;
    const missing: string[] = [];
    const notes: string[] = [];
    const { replicas } = options;
    if (replicas !== undefined && replicas > brokers)
      missing.push(`brokers for ${replicas} replicas: the cluster has ${brokers}`);
    const present = new Set(await admin.listTopics());
    const made = topics.filter(({ name }) => present.has(name));
    const absent = topics.filter(({ name }) => !present.has(name));
    if (absent.length > 0)
      notes.push(`missing topics, which the relay will create: ${absent.map(({ name }) => name).join(', ')}`);
    if (made.length > 0) {
      missing.push(...(await wrongPartitions(admin, made)), ...(await tooSmall(admin, made)));
      notes.push(...(await fewReplicas(admin, made, replicas)));
    }
    return { version: describe(cluster), missing, notes };
  });
}

function describe({ brokers, clusterId }: Awaited<ReturnType<Admin['describeCluster']>>): string {
  return `Kafka, ${brokers.length} ${brokers.length === 1 ? 'broker' : 'brokers'}, cluster ${clusterId}`;
}

async function wrongPartitions(admin: Admin, wanted: readonly TopicDefinition[]): Promise<string[]> {
  const { topics } = await admin.fetchTopicMetadata({ topics: wanted.map(({ name }) => name) });
  return wanted.flatMap(({ name, partitions }) => {
    const found = topics.find((topic) => topic.name === name)?.partitions ?? [];
    const leaderless = found.filter(({ leader }) => leader < 0).length;
    if (leaderless > 0) return [`a leader for ${leaderless} partitions of ${name}: brokers are down`];
    return found.length === partitions
      ? []
      : [
          `the topic ${name} with ${partitions} partitions: it has ${found.length}, and their number cannot be changed (another STRATALOG_KAFKA_TOPIC_PREFIX creates new topics)`,
        ];
  });
}

async function fewReplicas(
  admin: Admin,
  wanted: readonly TopicDefinition[],
  replicas: number | undefined,
): Promise<string[]> {
  const { topics } = await admin.fetchTopicMetadata({ topics: wanted.map(({ name }) => name) });
  return topics.flatMap(({ name, partitions }) => {
    const behind = partitions.filter(({ isr, replicas }) => isr.length < replicas.length).length;
    const least = Math.min(...partitions.map(({ replicas }) => replicas.length));
    return [
      ...(behind > 0 ? [`${behind} partitions of ${name} have replicas that are behind`] : []),
      ...(replicas !== undefined && least < replicas
        ? [`${name} was created with ${least} replicas, not ${replicas}`]
        : []),
    ];
  });
}

async function tooSmall(admin: Admin, wanted: readonly TopicDefinition[]): Promise<string[]> {
  const setting = 'max.message.bytes';
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: wanted.map(({ name }) => ({ type: topicResource, name, configNames: [setting] })),
  });
  return resources.flatMap(({ resourceName, configEntries }) => {
    const bytes = Number(configEntries.find(({ configName }) => configName === setting)?.configValue);
    return bytes < maxBatchBytes
      ? [`${setting} of at least ${maxBatchBytes} on the topic ${resourceName}: it has ${bytes}`]
      : [];
  });
}

async function withAdmin<T>(
  options: KafkaTransportOptions,
  answerMs: number,
  work: (admin: Admin) => Promise<T>,
): Promise<T> {
  // No retries: the caller wants an answer within `answerMs`.
  const client = openClient(options, 0);
  const timer = setTimeout(() => client.cut(), answerMs);
  const admin = client.kafka.admin();
  try {
    await admin.connect();
    return await work(admin);
  } catch (error) {
    throw translate(error);
  } finally {
    clearTimeout(timer);
    await client.close(admin, answerMs / 10);
  }
}
