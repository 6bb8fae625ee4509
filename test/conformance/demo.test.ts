import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import type { LearningFacts } from '../../src/cli/demo/learning.ts';
import { stratalogEndedBy } from '../support/cli.ts';
import { program } from '../support/program.ts';
import { testProfile } from '../support/server.ts';
import { readModelNames } from '../support/read-model-names.ts';

/** It ends with a decision, however busy the machine is. */
function expectLearning(learning: LearningFacts): void {
  const { asked, decisions, decomposed, used, heldOut, completeBefore, completeNow } = learning;
  const { canary, inForce, missing } = learning;
  expect(missing).toBeUndefined();
  expect(inForce!.version).toBe(canary!.version);
  expect(canary!.matched).toBeGreaterThanOrEqual(50);
  expect(canary!.interval![0]).toBeGreaterThan(0);
  expect(canary!.afterQuestions).toBeLessThan(inForce!.afterQuestions);
  expect(inForce!.afterQuestions).toBeLessThanOrEqual(asked);
  // All outcomes are counted.
  expect(decisions).toBe(asked);
  expect(used.standard + used.decomposition).toBeLessThanOrEqual(decisions);
  expect(decomposed).toBeLessThan(decisions);
  expect(heldOut).toBe(24);
  expect(completeBefore).toBeLessThan(completeNow);
}

it.skipIf(testProfile !== 'embedded')(
  '[J1] [C7] the demo completes its whole tour with the bundled corpus',
  async () => {
    const child = spawn(process.execPath, [program, 'demo', '--json'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    expect(code, errors).toBe(0);
    // It has more than ten requests under way at once.
    expect(errors).not.toContain('Warning');
    const { learning, ...facts } = JSON.parse(output) as Record<string, number | boolean> & {
      readonly learning: LearningFacts;
    };
    expect(facts).toMatchObject({
      stored: 1020,
      refused: 0,
      asked: 13,
      unansweredResults: 0,
      hasSummary: true,
      versions: 2,
      asOfShowsBefore: true,
      deletedIsGone: true,
      poisonWasAnswered: true,
      poisonIsLeftOut: true,
      refusedBySpace: true,
      newestVersionIsFirst: true,
      citations: 1,
      poisonWasHeld: true,
      sections: 5,
      citesDocument: true,
      changedSections: 1,
      rebuilt: readModelNames.length,
      equal: readModelNames.length,
    });
    expect(facts['provenEvents']).toBeGreaterThan(1_000);
    expect(facts['answered']).toBeGreaterThanOrEqual(12);
    expect(facts['contextTokens']).toBeGreaterThan(100);
    expect(facts['contextTokens']).toBeLessThanOrEqual(200);
    expect(facts['contextSources']).toBeGreaterThan(1);
    expectLearning(learning);
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
