import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { GateReporter } from './test/support/gate-reporter.ts';
import { shortLived } from './test/support/program.ts';
import { choosingSeed, leftOutBy } from './test/support/long-files.mjs';
import { SlowestFirst } from './test/support/slowest-first.ts';

/** Folder of the reports of the gate; unset if the tests are run by hand. */
const reports = process.env['STRATALOG_TEST_REPORTS'];
const suite = process.env['STRATALOG_TEST_SUITE'] ?? 'tests';
/**
 * Tests of whole processes share two cores with each other and with their servers, and one in thousands misses its
 * time limit. In the gate such a test is run a second time, and the summary names it; failing twice is a failure.
 */
const retry = reports ? 1 : 0;
/** Long files that this gate leaves out; none if the tests are run by hand. */
const leftOut = leftOutBy(choosingSeed());
const withoutServers = 'test/{unit,property,contract}/**';

export default defineConfig({
  test: {
    // Two cores, and each server brings a database and a model.
    maxWorkers: 2,
    // On a slow, busy machine a server takes half a minute to start.
    // A suite of one long file may have been left out.
    passWithNoTests: leftOut.length > 0,
    testTimeout: 180_000,
    hookTimeout: 300_000,
    setupFiles: ['test/support/seed-properties.ts'],
    sequence: { sequencer: SlowestFirst },
    reporters: [
      'default',
      ...(reports ? [new GateReporter(path.join(reports, `${suite}-${process.pid}.json`), suite)] : []),
    ],
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          include: [`${withoutServers}/*.test.ts`],
          exclude: ['**/*.local.test.ts'],
          setupFiles: ['test/support/pure.ts'],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'local',
          include: [`${withoutServers}/*.local.test.ts`],
          exclude: leftOut,
          isolate: false,
          execArgv: [...shortLived],
        },
      },
      {
        extends: true,
        test: {
          name: 'conformance',
          include: ['test/conformance/**/*.test.ts'],
          exclude: leftOut,
          globalSetup: 'test/support/shared-servers.ts',
          // Each file uses its own tenants, so the modules need not be loaded again for each file.
          isolate: false,
          retry,
        },
      },
      {
        extends: true,
        test: {
          name: 'faults',
          include: ['test/faults/**/*.test.ts'],
          exclude: leftOut,
          testTimeout: 900_000,
        },
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
      {
        extends: true,
        test: {
          name: 'clients',
          include: ['test/clients/**/*.test.ts', 'packages/client/frameworks/test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...leftOut],
          globalSetup: 'test/support/shared-servers.ts',
          // The adapters import the client by its name, as in the published package.
          alias: { '@stratalog/client': path.resolve('packages/client/src/index.ts') },
          fileParallelism: false,
          retry,
        },
      },
    ],
  },
});
