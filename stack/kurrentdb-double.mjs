// A stand-in for KurrentDB on 127.0.0.1:2113, for development. It implements the protocol and the guarantees of a single node.
// The real server cannot be fetched without Docker.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { portOf } from './ports.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const port = portOf('STACK_KURRENTDB_PORT', 2113);
const answerMs = 2_000;

export const kurrentdbDouble = {
  name: 'kurrentdb-double',
  url: `esdb://127.0.0.1:${port}?tls=false`,
  stopSignal: 'SIGTERM',
  install: async () => {},
  command,
  ready,
  prepare: async () => {},
};

async function command(folder) {
  const program = [path.join(root, 'bin', 'run.mjs'), 'test/doubles/kurrentdb/main.ts'];
  const file = path.join(folder, 'data');
  return {
    command: process.execPath,
    args: [...program, '--data', file, '--port', `${port}`],
    env: process.env,
    cwd: root,
  };
}

async function ready() {
  return fetch(`http://127.0.0.1:${port}/health/live`, { signal: AbortSignal.timeout(answerMs) }).then(
    ({ status }) => status === 204,
    () => false,
  );
}
