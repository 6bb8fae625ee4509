import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders whose files take minutes. They start first, so the run does not wait for them at its end. */
const slow = /\/test\/faults\//;

export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => slow.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
