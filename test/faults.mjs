// npm run faults -- [--count N] [--kills N] [--seed N]
// Injects faults under load and checks after each one that nothing was lost, duplicated or reordered.
//   --count N  N faults in a cluster of real servers (30 without --count and --kills): processes and servers are killed and
//              frozen, connections cut and slowed down, and a disk is filled
//   --kills N  N kills of one embedded server
//   --seed N   repeats the run that printed this seed
import { parseArgs } from 'node:util';
import { stack, vitest, wholeNumber } from './support/run.mjs';

const options = { count: { type: 'string' }, kills: { type: 'string' }, seed: { type: 'string' } };
const { count, kills, seed } = parseArgs({ options }).values;
const seeded = seed !== undefined && { STRATALOG_TEST_SEED: wholeNumber('seed', seed) };
const ended = [];
if (kills !== undefined) {
  const environment = { ...seeded, STRATALOG_FAULT_KILLS: wholeNumber('kills', kills) };
  ended.push(await vitest(['--project', 'faults', 'test/faults/kill-under-load.test.ts'], { environment }));
}
if (count !== undefined || kills === undefined) {
  const environment = { ...seeded, STRATALOG_FAULT_COUNT: wholeNumber('count', count ?? '30') };
  // The test starts its own servers with the programs that the stack fetches.
  const fetched = await stack('fetch', 'postgres', 'kafka', 'opensearch');
  const faults = ['--project', 'servers', 'test/servers/cluster-faults.test.ts'];
  ended.push(fetched === 0 ? await vitest(faults, { environment }) : fetched);
}
process.exit(Math.max(...ended));
