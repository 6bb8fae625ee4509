// For servers that refuse root.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { failure } from './failure.mjs';

const run = promisify(execFile);

/** The words before a command that make it run as an ordinary user. In a user namespace root has another number: no account, no change of owner. */
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
