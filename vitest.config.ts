import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { GateReporter } from './test/support/gate-reporter.ts';
import { SlowestFirst } from './test/support/slowest-first.ts';

/** Where the gate wants its reports; unset for whoever runs the tests by hand. */
const reports = process.env['STRATALOG_TEST_REPORTS'];
const profile = process.env['STRATALOG_TEST_PROFILE'] ?? 'embedded';
/**
 * Tests of whole processes share two cores with each other and their servers, and one of thousands misses its time. In
 * the gate such a test has a second try, and is named if it needed it; what fails twice fails.
 */
const retry = reports ? 1 : 0;

export default defineConfig({
  test: {
    // Two cores, and each server brings a database and a model.
    maxWorkers: 2,
    // On a slow machine, beside other work, a server takes half a minute to start.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    setupFiles: ['test/support/seed-properties.ts'],
    sequence: { sequencer: SlowestFirst },
    reporters: reports
      ? [
          'default',
          ['json', { outputFile: path.join(reports, `${profile}-${process.pid}.json`) }],
          new GateReporter(path.join(reports, 'beside', `${profile}-${process.pid}.json`)),
        ]
      : ['default'],
    projects: [
      { extends: true, test: { name: 'unit', include: ['test/{unit,property,contract}/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'conformance',
          include: ['test/conformance/**/*.test.ts'],
          globalSetup: 'test/support/server-keeper.ts',
          // What a file does it does in servers and tenants of its own: it need not load its modules of its own too.
          isolate: false,
          retry,
        },
      },
      {
        extends: true,
        test: { name: 'faults', include: ['test/faults/**/*.test.ts'], testTimeout: 900_000 },
      },
      {
        extends: true,
        test: {
          name: 'servers',
          include: ['test/servers/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 240_000,
          retry,
        },
      },
    ],
  },
});
