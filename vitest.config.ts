import path from 'node:path';
import { defineConfig } from 'vitest/config';

const reports = process.env['STRATALOG_TEST_REPORTS'];
const profile = process.env['STRATALOG_TEST_PROFILE'] ?? 'embedded';

export default defineConfig({
  test: {
    // Two cores, and each server brings a database and a model.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    reporters: reports
      ? ['default', ['json', { outputFile: path.join(reports, `${profile}-${process.pid}.json`) }]]
      : ['default'],
    projects: [
      { extends: true, test: { name: 'unit', include: ['test/{unit,property,contract}/**/*.test.ts'] } },
      { extends: true, test: { name: 'conformance', include: ['test/conformance/**/*.test.ts'] } },
      {
        extends: true,
        test: { name: 'faults', include: ['test/faults/**/*.test.ts'], fileParallelism: false, testTimeout: 900_000 },
      },
      {
        extends: true,
        test: { name: 'servers', include: ['test/servers/**/*.test.ts'], fileParallelism: false, testTimeout: 120_000 },
      },
    ],
  },
});
