// Configuration and command line of one OpenSearch node.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findJava } from './java.mjs';
import { asOrdinaryUser } from './ordinary-user.mjs';

/** 2.19 needs the security manager, which Java 24 no longer has. */
const [oldestJava, newestJava] = [17, 23];

const otherwise =
  'Install one (Debian: apt-get install openjdk-17-jre-headless) or name its folder in JAVA_HOME.';

export const findOpenSearchJava = () =>
  findJava('OpenSearch', { oldest: oldestJava, newest: newestJava, otherwise });

/**
 * Writes the node's configuration below `folder` and returns `{command, args, env, cwd}`. `home` contains its programs. With
 * `archive`, a node stopped by SIGTERM saves its loaded classes for faster starts, unless they are already saved.
 */
export async function nodeCommand({ home, folder, port, heap = '512m', archive = false }) {
  const { program, version } = await findOpenSearchJava();
  const [config, data, logs, temporary] = ['config', 'data', 'logs', 'tmp'].map((name) => {
    const made = path.join(folder, name);
    mkdirSync(made, { recursive: true });
    return made;
  });
  writeFileSync(path.join(config, 'opensearch.yml'), settingsOf(port, data, logs));
  writeFileSync(path.join(config, 'log4j2.properties'), loggingOf());
  const properties = {
    'java.awt.headless': 'true',
    'file.encoding': 'UTF-8',
    'java.io.tmpdir': temporary,
    'jna.tmpdir': temporary,
    'jna.nosys': 'true',
    'java.locale.providers': 'SPI,COMPAT',
    'java.security.manager': 'allow',
    'opensearch.networkaddress.cache.ttl': '60',
    'opensearch.networkaddress.cache.negative.ttl': '10',
    'io.netty.noUnsafe': 'true',
    'io.netty.noKeySetOptimization': 'true',
    'io.netty.recycler.maxCapacityPerThread': '0',
    'io.netty.allocator.numDirectArenas': '0',
    'log4j.shutdownHookEnabled': 'false',
    'log4j2.disable.jmx': 'true',
    'opensearch.path.home': home,
    'opensearch.path.conf': config,
    'opensearch.distribution.type': 'tar',
    'opensearch.bundled_jdk': 'false',
  };
  const [command, ...args] = [...(await asOrdinaryUser('OpenSearch')), program];
  args.push(`-Xms${heap}`, `-Xmx${heap}`, '-Xss1m', '-XX:MaxDirectMemorySize=256m', '-XX:+UseG1GC');
  args.push(
    '-XX:G1ReservePercent=25',
    '-XX:InitiatingHeapOccupancyPercent=30',
    '-XX:+ExitOnOutOfMemoryError',
  );
  // Halves the start time. A node that is under load for hours would benefit from the second compiler.
  args.push('-XX:TieredStopAtLevel=1', ...archiveOptions(path.join(home, `classes-${version}.jsa`), archive));
  args.push(...Object.entries(properties).map(([name, value]) => `-D${name}=${value}`));
  args.push('-cp', path.join(home, 'lib', '*'), 'org.opensearch.bootstrap.OpenSearch');
  // Excludes the caller's JAVA_TOOL_OPTIONS.
  return { command, args, env: { PATH: process.env['PATH'], HOME: folder, LC_ALL: 'C.UTF-8' }, cwd: folder };
}

function archiveOptions(file, write) {
  if (existsSync(file)) return [`-XX:SharedArchiveFile=${file}`];
  return write ? [`-XX:ArchiveClassesAtExit=${file}`] : [];
}

function settingsOf(port, data, logs) {
  const settings = {
    'cluster.name': 'stratalog-stack',
    'node.name': 'node-1',
    'path.data': data,
    'path.logs': logs,
    'network.host': '127.0.0.1',
    'http.port': port,
    // No other node joins, so any free port will do.
    'transport.port': '0',
    // Runs without a cluster. Production checks, such as vm.max_map_count, only warn.
    'discovery.type': 'single-node',
    // A developer's full disk must not turn the indexes read-only.
    'cluster.routing.allocation.disk.threshold_enabled': false,
  };
  // JSON is valid YAML.
  return `${JSON.stringify(settings, null, 2)}\n`;
}

/** Logs to standard output, which the caller saves. */
function loggingOf() {
  return `status = error
appender.out.type = Console
appender.out.name = OUT
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = [%d{ISO8601}][%-5p][%-25c{1.}] %m%n
rootLogger.level = info
rootLogger.appenderRefs = out
rootLogger.appenderRef.out.ref = OUT
`;
}
