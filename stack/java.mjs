// Finds a Java for the servers that need one.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { failure } from './failure.mjs';

const run = promisify(execFile);

/**
 * Returns `{program, version}` of the Java in JAVA_HOME, or else in the PATH. `version` is the full version, such as `17.0.15`.
 * Fails if there is none, or if it is not between `oldest` and `newest`; `otherwise` tells the user what to do then.
 */
export async function findJava(name, { oldest, newest = Infinity, otherwise }) {
  const home = process.env['JAVA_HOME'];
  const program = home ? path.join(home, 'bin', 'java') : 'java';
  const where = home ? `JAVA_HOME=${home}` : 'the PATH';
  const wanted = `${name} needs Java ${oldest} ${newest === Infinity ? 'or later' : `to ${newest}`}`;
  const { stdout, stderr } = await run(program, ['-version']).catch((error) => {
    const reason = error.code === 'ENOENT' ? 'there is none' : error.message;
    throw failure(`${wanted}, and in ${where} ${reason}. ${otherwise}`);
  });
  const version = /version "([^"]+)"/.exec(`${stderr}${stdout}`)?.[1] ?? 'unknown';
  // "17.0.15", and "1.8.0_442" before Java 9
  const major = Number(version.replace(/^1\./, '').match(/^\d+/)?.[0]);
  if (!(major >= oldest && major <= newest))
    throw failure(`${wanted}, and that of ${where} is ${version}. ${otherwise}`);
  return { program, version };
}
