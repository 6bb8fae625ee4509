// Apache Kafka 4.3.1 on 127.0.0.1:9092, its controller on 9093.
import { Kafka, logLevel } from 'kafkajs';
import path from 'node:path';
import { brokerCommand, kafkaJars, prepareBroker } from './kafka-broker.mjs';
import { portOf } from './ports.mjs';

const port = portOf('STACK_KAFKA_PORT', 9092);
const controllerPort = portOf('STACK_KAFKA_CONTROLLER_PORT', 9093);

export const kafka = {
  name: 'kafka',
  url: `127.0.0.1:${port}`,
  /** On SIGTERM the broker leaves the cluster and closes its logs. */
  stopSignal: 'SIGTERM',
  install,
  command,
  ready,
  prepare: async () => {},
};

async function install(folder, say) {
  const jars = await kafkaJars(folder, say);
  await prepareBroker(folder, jars, { port, controllerPort });
}

async function command(folder) {
  const jars = await kafkaJars(folder, () => {});
  // Next to the jars whose classes it contains, so it is removed when they are replaced.
  const own = process.env['STACK_KAFKA_LIBS'];
  return brokerCommand(folder, jars, own ? {} : { archive: path.join(folder, 'libs', 'classes.jsa') });
}

/** Whether the broker has joined its cluster. Before that its port is open, but requests fail. */
async function ready() {
  const client = new Kafka({
    clientId: 'stack',
    brokers: [`127.0.0.1:${port}`],
    connectionTimeout: 2000,
    requestTimeout: 2000,
    retry: { retries: 0 },
    logLevel: logLevel.NOTHING,
  });
  const admin = client.admin();
  try {
    await admin.connect();
    const { brokers } = await admin.describeCluster();
    return brokers.length > 0;
  } catch {
    return false;
  } finally {
    await admin.disconnect().catch(() => {});
  }
}
