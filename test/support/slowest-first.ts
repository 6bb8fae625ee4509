import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The folders whose files take minutes: begun first, they are not what everything waits for in the end. */
const slow = /\/test\/faults\//;

export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => slow.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
