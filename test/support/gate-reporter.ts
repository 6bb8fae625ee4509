import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';

/**
 * Writes down for the gate's summary what vitest's own report leaves out: tests that passed only when they were run
 * again, so that nobody takes them for sound, and errors of no test, which fail a run in which every test passed.
 */
export class GateReporter implements Reporter {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const secondTries = modules.flatMap((module) =>
      [...module.children.allTests()]
        .filter((test) => test.diagnostic()?.flaky === true)
        .map((test) => `${module.relativeModuleId} > ${test.fullName}\n${firstErrorOf(test)}`),
    );
    const unhandled = errors.map((error) => error.stack ?? String(error.message));
    mkdirSync(path.dirname(this.#file), { recursive: true });
    writeFileSync(this.#file, JSON.stringify({ secondTries, unhandled }));
  }
}

function firstErrorOf(test: TestCase): string {
  const [error] = test.result().errors ?? [];
  return error?.stack ?? String(error?.message);
}
