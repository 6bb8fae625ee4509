// Adds up the test reports of one gate run and closes with `N passed, N failed`.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

const folder = process.argv[2];
const totals = { passed: 0, failed: 0, skipped: 0 };
const files = await readdir(folder).catch(() => []);
for (const file of files) {
  const report = JSON.parse(await readFile(path.join(folder, file), 'utf8'));
  totals.passed += report.numPassedTests;
  // A file that does not even load counts, too.
  totals.failed +=
    report.numFailedTests +
    report.testResults.filter((result) => result.status === 'failed' && result.assertionResults.length === 0)
      .length;
  totals.skipped += report.numPendingTests + report.numTodoTests;
}
if (files.length === 0) console.error(`no test report in ${folder}`);
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exitCode = totals.failed > 0 || totals.passed === 0 ? 1 : 0;
