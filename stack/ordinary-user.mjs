// Runs servers that refuse to run as root.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { failure } from './failure.mjs';

const run = promisify(execFile);

/** Command prefix that runs a command as an ordinary user. A user namespace maps root to another id, so no account and no chown is needed. */
export async function asOrdinaryUser(name) {
  if (process.getuid?.() !== 0) return [];
  const prefix = ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--'];
  await run(prefix[0], [...prefix.slice(1), 'true']).catch(() => {
    throw failure(
      `${name} does not run as root, and no user namespace can be made here: use an ordinary user`,
    );
  });
  return prefix;
}
