import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';

/** Report of one vitest run for the summary of the gate. File paths are relative to the project. */
export interface GateReport {
  readonly suite: string;
  /** Wall time of the whole run. */
  readonly seconds: number;
  readonly files: readonly FileReport[];
  /** Stack or message of each error outside a test. Such an error fails the run even if all tests passed. */
  readonly errors: readonly string[];
}

export interface FileReport {
  readonly project: string;
  readonly file: string;
  /** Wall time of the file's hooks and tests. */
  readonly seconds: number;
  readonly passed: number;
  readonly skipped: number;
  readonly failed: readonly TestReport[];
  /** Tests that passed only when they were retried, reported because they are unreliable. */
  readonly retried: readonly TestReport[];
}

export interface TestReport {
  readonly name: string;
  readonly error: string;
}

/** Writes a `GateReport` as JSON to `file` when the run ends. */
export class GateReporter implements Reporter {
  readonly #file: string;
  readonly #suite: string;
  #started = performance.now();

  constructor(file: string, suite: string) {
    this.#file = file;
    this.#suite = suite;
  }

  onTestRunStart(): void {
    this.#started = performance.now();
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const report: GateReport = {
      suite: this.#suite,
      seconds: (performance.now() - this.#started) / 1_000,
      files: modules.map(reportOf),
      errors: errors.map(textOf),
    };
    mkdirSync(path.dirname(this.#file), { recursive: true });
    writeFileSync(this.#file, JSON.stringify(report));
  }
}

function reportOf(module: TestModule): FileReport {
  const tests = [...module.children.allTests()];
  const inState = (state: string): TestCase[] => tests.filter((test) => test.result().state === state);
  const failed = inState('failed').map((test) => ({ name: test.fullName, error: firstErrorOf(test) }));
  const { duration, collectDuration, setupDuration } = module.diagnostic();
  // If a file does not load, or a hook of its suites fails, no test is reported as failed.
  const own = module.state() === 'failed' && failed.length === 0 ? allErrorsOf(module) : [];
  return {
    project: module.project.name,
    file: module.relativeModuleId,
    seconds: (duration + collectDuration + setupDuration) / 1_000,
    passed: inState('passed').length,
    skipped: inState('skipped').length,
    failed: [...failed, ...own.map((error) => ({ name: '(outside its tests)', error }))],
    retried: inState('passed')
      .filter((test) => test.diagnostic()?.flaky === true)
      .map((test) => ({ name: test.fullName, error: firstErrorOf(test) })),
  };
}

function allErrorsOf(module: TestModule): string[] {
  const suites = [...module.children.allSuites()];
  const errors = [...module.errors(), ...suites.flatMap((suite) => suite.errors())].map(textOf);
  return errors.length > 0 ? errors : ['the file failed without an error'];
}

function firstErrorOf(test: TestCase): string {
  return textOf(test.result().errors?.[0]);
}

/** With the causes: why a request failed is told by them alone. */
function textOf(error: SerializedError | undefined): string {
  const text = error?.stack ?? String(error?.message);
  const cause = error?.cause as SerializedError | undefined;
  return cause === undefined ? text : `${text}\ncaused by ${textOf(cause)}`;
}
