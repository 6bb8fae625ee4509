// Adds up the test reports of one gate run, names what failed, and closes with `N passed, N failed`. What the reporter of
// the gate wrote beside each report is named too: errors of no test, and tests that passed only when they were run again.
// Behind the folder of the reports come the commands that ended badly, each with its exit status.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

const [folder, ...ended] = process.argv.slice(2);
const totals = { passed: 0, failed: 0, skipped: 0 };
const failures = [];
const reportsIn = async (where) => {
  const files = (await readdir(where).catch(() => [])).filter((file) => file.endsWith('.json'));
  return Promise.all(
    files.map(async (file) => ({ file, ...JSON.parse(await readFile(path.join(where, file), 'utf8')) })),
  );
};
const reports = await reportsIn(folder);
for (const { file, ...report } of reports) {
  totals.passed += report.numPassedTests;
  totals.skipped += report.numPendingTests + report.numTodoTests;
  for (const { name, status, message, assertionResults } of report.testResults) {
    const failed = assertionResults.filter((result) => result.status === 'failed');
    // A file counts, too, that does not even load, or whose preparation fails.
    if (status === 'failed' && failed.length === 0) failed.push({ failureMessages: [message] });
    totals.failed += failed.length;
    failures.push(...failed.map((failure) => ({ file, name, ...failure })));
  }
}
// Said here once more: the output of a long run is seldom kept whole.
for (const { file, name, fullName = 'not a test of it', failureMessages } of failures) {
  console.log(`\nfailed: ${path.relative(process.cwd(), name)} > ${fullName} (${file})`);
  console.log(failureMessages.join('\n').slice(0, 2000));
}
for (const { file, unhandled, secondTries } of await reportsIn(path.join(folder, 'beside'))) {
  totals.failed += unhandled.length;
  for (const error of unhandled) console.log(`\nan error of no test (${file}):\n${error.slice(0, 2000)}`);
  for (const test of secondTries)
    console.log(`\npassed only when run again (${file}): ${test.slice(0, 2000)}`);
}
for (const command of ended) console.log(`\n${command}`);
if (reports.length === 0) console.error(`no test report in ${folder}`);
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exitCode = totals.failed > 0 || totals.passed === 0 || ended.length > 0 ? 1 : 0;
