// npm run mutations -- [--only TEXT] [--list]
// Applies each deliberate defect of mutations.mjs by itself, runs the tests that must catch it, and reverts it. Fails if the
// tests pass with a defect. Servers are started if a defect needs them.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root, stack, vitest } from '../support/run.mjs';
import { mutations } from './mutations.mjs';

const options = { only: { type: 'string', default: '' }, list: { type: 'boolean', default: false } };
const { only, list } = parseArgs({ options }).values;
const chosen = mutations.filter(({ name }) => name.includes(only));
if (list) {
  for (const { name, file, tests } of chosen) console.log(`${name}\n  in ${file}\n  ${tests.join('\n  ')}`);
  process.exit(0);
}

const servers = ['postgres', 'kafka', 'opensearch'];
const environment = {
  STRATALOG_POSTGRES_URL: 'postgres://stratalog:stratalog@127.0.0.1:54329/stratalog',
  STRATALOG_KAFKA_BROKERS: '127.0.0.1:9092',
  STRATALOG_OPENSEARCH_URL: 'http://127.0.0.1:9200',
  ...process.env,
};
const projects = ['pure', 'local', 'conformance', 'servers'].flatMap((name) => ['--project', name]);

/** Whether the tests notice the defect. */
async function isCaught({ file, find, replace, tests }) {
  const target = path.join(root, file);
  const original = readFileSync(target, 'utf8');
  const parts = original.split(find);
  if (parts.length !== 2) throw new Error(`${file} holds ${parts.length - 1} times, not once: ${find}`);
  const restore = () => writeFileSync(target, original);
  const interrupted = () => {
    restore();
    process.exit(130);
  };
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  writeFileSync(target, parts.join(replace));
  try {
    return (await vitest([...projects, ...tests], { environment, file: '.cache/mutation.log' })) !== 0;
  } finally {
    restore();
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
  }
}

const needsServers = chosen.some((mutation) => mutation.servers);
if (needsServers && (await stack('up', ...servers)) !== 0) process.exit(1);
const missed = [];
for (const mutation of chosen) {
  const started = performance.now();
  const caught = await isCaught(mutation);
  if (!caught) missed.push(mutation.name);
  const seconds = Math.round((performance.now() - started) / 1_000);
  console.log(`${caught ? 'caught' : 'MISSED'}  ${mutation.name} (${seconds} s)`);
}
if (needsServers && process.env.STRATALOG_KEEP_SERVERS === undefined) await stack('down', ...servers);
console.log(`${chosen.length - missed.length} of ${chosen.length} caught`);
process.exit(missed.length > 0 ? 1 : 0);
