// One Kafka broker in KRaft mode, with broker and controller in one process, bound to 127.0.0.1. Jars, settings and storage are
// below one folder.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { failure } from './failure.mjs';
import { findJava } from './java.mjs';
import { fetchJars } from './maven-jars.mjs';

const run = promisify(execFile);
const pins = JSON.parse(readFileSync(new URL('kafka-jars.json', import.meta.url), 'utf8'));
const otherwise = `Run a Kafka of your own (docker compose up kafka) and name it in STRATALOG_KAFKA_BROKERS, or name the
folder of its jars (libs of the Apache Kafka download) in STACK_KAFKA_LIBS. Kafka needs a Java of version 17 or later
(Debian: apt-get install openjdk-17-jre-headless maven), on the PATH or in JAVA_HOME.`;

/** The jars of the broker: those in STACK_KAFKA_LIBS if it is set, else the pinned ones, which are fetched if they are missing. */
export async function kafkaJars(folder, say) {
  const own = process.env['STACK_KAFKA_LIBS'];
  if (!own) return fetchJars(pins, folder, say, otherwise);
  const jars = existsSync(own) ? readdirSync(own).filter((name) => name.endsWith('.jar')) : [];
  if (!jars.some((name) => name.startsWith('kafka_2.13-')))
    throw failure(`STACK_KAFKA_LIBS=${own} contains no kafka_2.13-….jar`);
  return jars.toSorted().map((name) => path.join(own, name));
}

const findKafkaJava = () => findJava('Kafka', { oldest: 17, otherwise });

/**
 * Writes the settings of a broker on `port` and `controllerPort` into `folder`, replacing existing ones, and formats its
 * storage if that has not been done. `settings` extend or override the defaults; `format` are extra arguments for formatting.
 */
export async function prepareBroker(folder, jars, { port, controllerPort, settings = {}, format = [] }) {
  const { program } = await findKafkaJava();
  const data = path.join(folder, 'data');
  const properties = { ...brokerSettings(port, controllerPort), 'log.dirs': data, ...settings };
  const lines = Object.entries(properties).map(([name, value]) => `${name}=${value}\n`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(settingsOf(folder), lines.join(''));
  writeFileSync(loggingOf(folder), logging);
  if (existsSync(path.join(data, 'meta.properties'))) return;
  rmSync(data, { recursive: true, force: true });
  const words = ['-Xmx128m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Dlog4j2.level=ERROR'];
  words.push('-cp', jars.join(path.delimiter), 'kafka.tools.StorageTool', 'format', '-t', newClusterId());
  words.push('-c', settingsOf(folder), ...format);
  await run(program, words, { cwd: folder, env: environment(folder) }).catch((error) => {
    throw failure(`Kafka could not format its storage:\n${error.stdout}${error.stderr}`);
  });
}

/**
 * Returns `{command, args, env, cwd}` of a broker that `prepareBroker` set up. With `archive`, the first clean stop writes the
 * loaded classes into that file, and later starts take a third of the time.
 */
export async function brokerCommand(folder, jars, { heap = '512m', archive } = {}) {
  const args = [`-Xms${heap}`, `-Xmx${heap}`, '-XX:+UseG1GC', '-XX:MaxDirectMemorySize=256m'];
  // The second compiler only pays off in servers that run for days.
  args.push('-XX:+ExitOnOutOfMemoryError', '-XX:TieredStopAtLevel=1', '-Djava.awt.headless=true');
  if (archive)
    args.push(
      existsSync(archive) ? `-XX:SharedArchiveFile=${archive}` : `-XX:ArchiveClassesAtExit=${archive}`,
    );
  args.push('-Xlog:disable', '-Xlog:all=error:stderr', '-Djava.net.preferIPv4Stack=true');
  args.push(`-Dlog4j2.configurationFile=${loggingOf(folder)}`, '-cp', jars.join(path.delimiter));
  args.push('kafka.Kafka', settingsOf(folder));
  const { program } = await findKafkaJava();
  return { command: program, args, env: environment(folder), cwd: folder };
}

function brokerSettings(port, controllerPort) {
  return {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    'controller.listener.names': 'CONTROLLER',
    listeners: `BROKER://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `BROKER://127.0.0.1:${port}`,
    'listener.security.protocol.map': 'BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name': 'BROKER',
    // There is one node, so every topic has one replica, including internal topics.
    'default.replication.factor': 1,
    'min.insync.replicas': 1,
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 4,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'transaction.state.log.num.partitions': 4,
    'share.coordinator.state.topic.replication.factor': 1,
    'share.coordinator.state.topic.min.isr': 1,
    // Topics must be created explicitly, with their number of partitions.
    'auto.create.topics.enable': false,
    // Do not wait for more members before the first rebalance of a group.
    'group.initial.rebalance.delay.ms': 0,
    // After a SIGKILL the restarted broker is refused until the session of the killed one expires, by default after 9 s.
    'broker.session.timeout.ms': 3000,
    'broker.heartbeat.interval.ms': 500,
    'num.network.threads': 2,
    'num.io.threads': 4,
    'num.recovery.threads.per.data.dir': 1,
    'log.segment.bytes': 67_108_864,
    'log.cleaner.dedupe.buffer.size': 16_777_216,
  };
}

const logging = `status = warn
appender.out.type = Console
appender.out.name = OUT
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = [%d] %p %m (%c)%n
rootLogger.level = warn
rootLogger.appenderRef.out.ref = OUT
`;

/** An id as Kafka formats it: 128 bits in base64url. It must not begin with `-`, which would make it an option. */
function newClusterId() {
  const id = randomBytes(16).toString('base64url');
  return id.startsWith('-') ? newClusterId() : id;
}

/** Excludes the JVM and Kafka options of the caller. */
function environment(folder) {
  return { PATH: process.env['PATH'], HOME: folder, LC_ALL: 'C.UTF-8' };
}

const settingsOf = (folder) => path.join(folder, 'server.properties');
const loggingOf = (folder) => path.join(folder, 'log4j2.properties');
