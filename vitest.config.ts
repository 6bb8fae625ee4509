import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Two cores, and each server brings a database and a model: files run one after another, two at most.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    globalSetup: ['test/support/clean-cache.ts'],
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['test/{unit,property,contract}/**/*.test.ts'] },
      },
      { extends: true, test: { name: 'conformance', include: ['test/conformance/**/*.test.ts'] } },
      { extends: true, test: { name: 'faults', include: ['test/faults/**/*.test.ts'], maxWorkers: 1, testTimeout: 300_000 } },
      {
        extends: true,
        test: { name: 'servers', include: ['test/servers/**/*.test.ts'], maxWorkers: 1, testTimeout: 120_000 },
      },
    ],
  },
});
