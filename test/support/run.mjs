import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** Runs a command in the checkout and resolves to its exit status. With `file` its output goes there. */
export function run(program, args, { environment = {}, file } = {}) {
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

export const stack = (...words) => run(process.execPath, [path.join('stack', 'cli.mjs'), ...words]);

/** Runs vitest; `suite` names its report in the summary of the gate. */
export const vitest = (words, { suite, environment = {}, file } = {}) =>
  run('npx', ['--no', 'vitest', 'run', ...words], {
    environment: { ...environment, ...(suite && { STRATALOG_TEST_SUITE: suite }) },
    file,
  });

/** Ends the program with 2 unless `value`, of option `name`, is a whole number. */
export function wholeNumber(name, value) {
  if (/^\d{1,10}$/.test(value)) return value;
  console.error(`--${name} must be a whole number, not ${value}`);
  process.exit(2);
}
