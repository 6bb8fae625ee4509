import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { stratalogEndedBy } from '../support/cli.ts';
import { testProfile } from '../support/server.ts';
import { readModelNames } from '../support/read-model-names.ts';

it.skipIf(testProfile !== 'embedded')(
  '[J1] the demo completes its whole tour with the bundled corpus',
  async () => {
    const child = spawn(process.execPath, ['bin/stratalog.mjs', 'demo', '--json'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    expect(code).toBe(0);
    const facts = JSON.parse(output) as Record<string, number | boolean>;
    expect(facts).toMatchObject({
      stored: 1020,
      refused: 0,
      asked: 13,
      hasSummary: true,
      versions: 2,
      asOfShowsBefore: true,
      deletedIsGone: true,
      rebuilt: readModelNames.length,
      equal: readModelNames.length,
    });
    expect(facts['answered']).toBeGreaterThanOrEqual(12);
    expect(facts['contextTokens']).toBeGreaterThan(100);
    expect(facts['contextTokens']).toBeLessThanOrEqual(400);
    expect(facts['contextSources']).toBeGreaterThan(0);
  },
  // Embedding is bound by the processors, which tests running at the same time share.
  600_000,
);

it.skipIf(testProfile !== 'embedded').each<[NodeJS.Signals]>([['SIGINT'], ['SIGTERM']])(
  '[J1] the demo leaves nothing behind when %s ends it',
  async (signal) => {
    const args = ['demo', '--profile', 'embedded', '--json'];
    expect(await stratalogEndedBy(signal, args, 'pg/base/')).toEqual({ ended: signal, left: [] });
  },
);
