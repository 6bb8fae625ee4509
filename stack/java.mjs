// The Java that servers written in it run on.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { failure } from './failure.mjs';

const run = promisify(execFile);

/**
 * `{program, version}` of the Java of JAVA_HOME, or else of the PATH; `version` is its full one, `17.0.15`. Fails where
 * there is none, or one outside of `oldest` to `newest`; `otherwise` tells what can be done about it.
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
