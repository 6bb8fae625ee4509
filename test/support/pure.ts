import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import workerThreads from 'node:worker_threads';

/**
 * Setup of the pure tests. A pure test fails if it starts a process or a worker thread, which all databases and models
 * need. Such a test belongs in a file named `*.local.test.ts`.
 */
const refuse = (what: string) =>
  function refused(): never {
    throw new Error(`a pure test must not start ${what}: name its file *.local.test.ts`);
  };

for (const name of ['spawn', 'spawnSync', 'fork', 'exec', 'execSync', 'execFile', 'execFileSync'] as const)
  Object.assign(childProcess, { [name]: refuse('a process') });
Object.assign(workerThreads, { Worker: refuse('a worker thread') });
syncBuiltinESMExports();
