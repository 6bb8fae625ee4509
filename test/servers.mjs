// npm run test:servers [-- [--all] [--lanes N]]
// Starts the real servers, runs the tests that need them, and stops the servers, unless STRATALOG_KEEP_SERVERS is set.
//   (no option)  the tests of the gate: the contracts of the adapters and the journey of a memory on the profiles postgres and
//                cluster in test/servers, cluster faults of four classes, and the clients of others in test/clients
//   --all        all of test/servers, and the whole conformance suite on both profiles
//   --lanes N    how many suites run at a time; two by default
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { choosingSeed, leftOutBy } from './support/long-files.mjs';
import { root, run, stack, vitest, wholeNumber } from './support/run.mjs';

const { all, lanes } = parseArgs({
  options: { all: { type: 'boolean', default: false }, lanes: { type: 'string', default: '2' } },
}).values;

/** The servers to start: those whose address is not set in the environment. */
const servers = [
  'postgres',
  ...(process.env.STRATALOG_KAFKA_BROKERS === undefined ? ['kafka'] : []),
  ...(process.env.STRATALOG_OPENSEARCH_URL === undefined ? ['opensearch'] : []),
];
const urls = {
  STRATALOG_POSTGRES_URL:
    process.env.STRATALOG_POSTGRES_URL ?? 'postgres://stratalog:stratalog@127.0.0.1:54329/stratalog',
  STRATALOG_KAFKA_BROKERS: process.env.STRATALOG_KAFKA_BROKERS ?? '127.0.0.1:9092',
  STRATALOG_OPENSEARCH_URL: process.env.STRATALOG_OPENSEARCH_URL ?? 'http://127.0.0.1:9200',
};
const clusterFaults = 'test/servers/cluster-faults.test.ts';
/** Fault tests of single adapters and roles. The cluster faults cause the same faults in the complete program. */
const coveredByClusterFaults = [
  'relay-faults',
  'relay-processes',
  'kill-api-processes',
  'lexical-index-faults',
  'lexical-kills',
  'transport-kafka-faults',
  'transport-kafka-load-faults',
  'transport-kafka-members',
].map((name) => `test/servers/${name}.test.ts`);
/** Long files that this gate leaves out. */
const leftOut = leftOutBy(choosingSeed());
const excluded = [clusterFaults, ...leftOut, ...(all ? [] : coveredByClusterFaults)].flatMap((file) => [
  '--exclude',
  file,
]);
const half = (part) => ({
  suite: `servers-${part}`,
  profile: 'postgres',
  words: ['--project', 'servers', `--shard=${part}/2`, ...excluded],
});
const conformance = (profile) => ({
  suite: `conformance-${profile}`,
  profile,
  words: ['--project', 'conformance'],
});
/** Longest first. The tests of single servers come in two halves, so that two lanes are used until the end. */
const suites = [
  ...(all ? [conformance('cluster'), conformance('postgres')] : []),
  half(1),
  half(2),
  ...(leftOut.includes(clusterFaults)
    ? []
    : [{ suite: 'cluster-faults', profile: 'postgres', words: ['--project', 'servers', clusterFaults] }]),
  { suite: 'clients', profile: 'embedded', words: ['--project', 'clients'] },
];

/** Runs several suites at a time, because they mostly wait for sessions to end and servers to start. Prints the output of each at its end. */
async function runAll(waiting) {
  const failed = [];
  const next = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { suite, profile, words } = next;
      const file = path.join(root, '.cache', `${suite}.log`);
      const environment = { ...urls, STRATALOG_TEST_PROFILE: profile };
      const status = await vitest(words, { suite, environment, file });
      if (status !== 0) failed.push(`${suite} ended with ${status}`);
      process.stdout.write(`\n## ${suite}\n${readFileSync(file)}`);
    }
  };
  await Promise.all(Array.from({ length: Number(wholeNumber('lanes', lanes)) }, next));
  for (const suite of failed) console.log(`\n${suite}`);
  return failed.length > 0 ? 1 : 0;
}

let status = await stack('up', ...servers);
// Clients and tools of others are installed only here, so that `npm ci` of the project stays small.
for (const folder of ['test/clients', 'packages/client/frameworks'])
  if (status === 0) status = await run('npm', ['ci', '--prefix', folder]);
if (status === 0) {
  mkdirSync(path.join(root, '.cache'), { recursive: true });
  status = await runAll([...suites]);
}
if (process.env.STRATALOG_KEEP_SERVERS === undefined) await stack('down', ...servers);
process.exit(status);
