import type { Reporter, TestModule } from 'vitest/node';

/** Names the tests that passed only when they were run again, so that nobody takes them for sound. */
export class SecondTryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        if (test.diagnostic()?.flaky !== true) continue;
        console.log(`passed only when run again: ${module.moduleId} > ${test.fullName}`);
      }
    }
  }
}
