// npm run test:servers [-- --bounded]: starts the real servers, runs what needs them, and the whole conformance suite on the
// profiles postgres and cluster, and stops the servers; where STRATALOG_KEEP_SERVERS is set they stay. Bounded, as the gate runs
// it, it leaves out faults of one adapter that the suite of cluster faults brings upon the whole program too.
import { spawn } from 'node:child_process';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { parseArgs } from 'node:util';

const { bounded } = parseArgs({ options: { bounded: { type: 'boolean', default: false } } }).values;
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Resolves to the exit status. With `file` what it prints goes there. */
function run(program, args, { environment = {}, file } = {}) {
  const output = file === undefined ? undefined : openSync(file, 'w');
  const child = spawn(program, args, {
    cwd: root,
    stdio: output === undefined ? 'inherit' : ['ignore', output, output],
    env: { ...process.env, ...environment },
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (status) => resolve(status ?? 1));
  });
}

const stack = (...words) => run(process.execPath, [path.join('stack', 'cli.mjs'), ...words]);

/** Those that the caller has not named elsewhere. */
const servers = [
  'postgres',
  ...(process.env.STRATALOG_KAFKA_BROKERS === undefined ? ['kafka'] : []),
  ...(process.env.STRATALOG_OPENSEARCH_URL === undefined ? ['opensearch'] : []),
];
const environment = {
  STRATALOG_POSTGRES_URL:
    process.env.STRATALOG_POSTGRES_URL ?? 'postgres://stratalog:stratalog@127.0.0.1:54329/stratalog',
  STRATALOG_KAFKA_BROKERS: process.env.STRATALOG_KAFKA_BROKERS ?? '127.0.0.1:9092',
  STRATALOG_OPENSEARCH_URL: process.env.STRATALOG_OPENSEARCH_URL ?? 'http://127.0.0.1:9200',
};
const clusterFaults = 'test/servers/cluster-faults.test.ts';
const coveredByThem = ['relay-faults', 'lexical-index-faults', 'transport-kafka-load-faults'].map(
  (name) => `test/servers/${name}.test.ts`,
);
const excluded = [clusterFaults, ...(bounded ? coveredByThem : [])].flatMap((file) => ['--exclude', file]);
/** What takes longest comes first. */
const suites = [
  { name: 'servers', profile: 'postgres', words: ['--project', 'servers', ...excluded] },
  { name: 'conformance-cluster', profile: 'cluster', words: ['--project', 'conformance'] },
  { name: 'cluster-faults', profile: 'postgres', words: ['--project', 'servers', clusterFaults] },
  // In quarters, so that both ways end about the same time.
  ...['1/4', '2/4', '3/4', '4/4'].map((shard, index) => ({
    name: `conformance-postgres-${index + 1}`,
    profile: 'postgres',
    words: ['--project', 'conformance', '--shard', shard],
  })),
];

/** Two at a time: they mostly wait, for sessions that end and servers that start. What each printed is shown when it is over. */
async function runAll(waiting) {
  const failed = [];
  const next = async () => {
    for (let suite = waiting.shift(); suite; suite = waiting.shift()) {
      const { name, profile, words } = suite;
      const file = path.join(root, '.cache', `${name}.log`);
      const status = await run('npx', ['--no', 'vitest', 'run', ...words], {
        environment: { ...environment, STRATALOG_TEST_PROFILE: profile },
        file,
      });
      if (status !== 0) failed.push(`${name} ended with ${status}`);
      process.stdout.write(`\n## ${name}\n${readFileSync(file)}`);
    }
  };
  await Promise.all([next(), next()]);
  for (const suite of failed) console.log(`\n${suite}`);
  return failed.length > 0 ? 1 : 0;
}

let status = await stack('up', ...servers);
if (status === 0) {
  mkdirSync(path.join(root, '.cache'), { recursive: true });
  status = await runAll([...suites]);
}
if (process.env.STRATALOG_KEEP_SERVERS === undefined) await stack('down', ...servers);
process.exit(status);
