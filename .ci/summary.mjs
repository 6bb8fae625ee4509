// Adds up the test reports of one gate run, names what failed, and closes with `N passed, N failed`.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

const folder = process.argv[2];
const totals = { passed: 0, failed: 0, skipped: 0 };
const failures = [];
const files = await readdir(folder).catch(() => []);
for (const file of files) {
  const report = JSON.parse(await readFile(path.join(folder, file), 'utf8'));
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
if (files.length === 0) console.error(`no test report in ${folder}`);
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exitCode = totals.failed > 0 || totals.passed === 0 ? 1 : 0;
