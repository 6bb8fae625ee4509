// Summarizes one run of the gate from the reports of its suites: failures, retried tests, the minutes of each suite and the
// slowest files. Ends with `N passed, N failed`.
//   node .ci/summary.mjs REPORTS [COMMAND-THAT-FAILED …]
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** The gate fails if more tests than this passed only when they were retried. */
const mostRetried = 2;
const slowest = 10;

const [folder, ...failedCommands] = process.argv.slice(2);
const names = (await readdir(folder).catch(() => [])).filter((file) => file.endsWith('.json'));
const reports = await Promise.all(
  names.map(async (name) => JSON.parse(await readFile(path.join(folder, name), 'utf8'))),
);
const files = reports.flatMap(({ suite, files: own }) => own.map((file) => ({ suite, ...file })));
const errors = reports.flatMap(({ suite, errors: own }) => own.map((error) => ({ suite, error })));
const failed = files.flatMap(({ failed: own, ...file }) => own.map((test) => ({ ...file, ...test })));
const retried = files.flatMap(({ retried: own, ...file }) => own.map((test) => ({ ...file, ...test })));
const sum = (items, of) => items.reduce((total, item) => total + of(item), 0);
const minutes = (seconds) => `${(seconds / 60).toFixed(1)} min`;
const place = ({ suite, file, name }) => `${file} > ${name} (${suite})`;

for (const test of failed) console.log(`\nfailed: ${place(test)}\n${test.error.slice(0, 2000)}`);
for (const { suite, error } of errors)
  console.log(`\nan error outside any test (${suite}):\n${error.slice(0, 2000)}`);
for (const test of retried)
  console.log(`\npassed only when run again: ${place(test)}\n${test.error.slice(0, 2000)}`);

console.log('\nminutes by suite (a file of one part may run beside a file of another)');
for (const { suite, seconds, files: own } of reports) {
  console.log(`  ${suite}: ${minutes(seconds)}`);
  for (const project of new Set(own.map((file) => file.project))) {
    const parts = own.filter((file) => file.project === project && file.passed + file.failed.length > 0);
    const tests = sum(parts, (file) => file.passed + file.failed.length);
    console.log(
      `    ${project}: ${tests} tests in ${parts.length} files, ${minutes(sum(parts, (file) => file.seconds))} added up`,
    );
  }
}
console.log(`\nthe ${slowest} slowest files`);
for (const { suite, file, seconds } of files.toSorted((a, b) => b.seconds - a.seconds).slice(0, slowest))
  console.log(`  ${seconds.toFixed(1).padStart(6)} s  ${file} (${suite})`);

const tooManyRetried = retried.length > mostRetried;
console.log(`\n${retried.length} tests passed only when run again, ${mostRetried} at most may`);
for (const test of retried) console.log(`  ${place(test)}`);
for (const command of failedCommands) console.log(`\n${command}`);
if (reports.length === 0) console.error(`no test report in ${folder}`);

const passed = sum(files, (file) => file.passed);
const wrong = failed.length + errors.length + (tooManyRetried ? retried.length : 0);
console.log(`${passed} passed, ${wrong} failed`);
process.exitCode = wrong > 0 || passed === 0 || failedCommands.length > 0 ? 1 : 0;
