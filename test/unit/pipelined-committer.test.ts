import { describe, expect, it } from 'vitest';
import { SqlUnavailable } from '../../src/ports/sql.ts';
import { CheckpointMoved } from '../../src/follow/processor.ts';
import { PipelinedCommitter } from '../../src/follow/pipelined-committer.ts';

/** A committer whose steps are texts. The size of a step is its length. */
class Fixture {
  readonly done: string[] = [];
  readonly committer: PipelinedCommitter<string, string>;
  onWrite: (steps: readonly string[]) => Promise<void> | void = () => {};
  onPrepare: (steps: readonly string[]) => Promise<void> | void = () => {};

  constructor(most = 100) {
    this.committer = new PipelinedCommitter<string, string>({
      maxSize: most,
      sizeOf: (step) => step.length,
      prepare: async (steps) => {
        this.done.push(`prepare ${steps.join(' ')}`);
        await this.onPrepare(steps);
        return steps.join(' ');
      },
      write: async (steps, prepared) => {
        expect(prepared).toBe(steps.join(' '));
        await this.onWrite(steps);
        this.done.push(`write ${prepared}`);
      },
    });
  }

  take(...steps: string[]): Promise<PromiseSettledResult<void>[]> {
    return Promise.allSettled(steps.map((step) => this.committer.add(step)));
  }
}

const statuses = (outcomes: PromiseSettledResult<void>[]) => outcomes.map(({ status }) => status);

describe('steps that are added together', () => {
  it('are prepared and written together', async () => {
    const fixture = new Fixture();
    expect(statuses(await fixture.take('a', 'b', 'c'))).toEqual(Array(3).fill('fulfilled'));
    expect(fixture.done).toEqual(['prepare a b c', 'write a b c']);
  });

  it('are split if they are too large together; a single one above the limit is committed alone', async () => {
    const fixture = new Fixture(4);
    await fixture.take('aa', 'bb', 'c', 'dddddd', 'e');
    expect(fixture.done.filter((line) => line.startsWith('write'))).toEqual([
      'write aa bb',
      'write c',
      'write dddddd',
      'write e',
    ]);
  });

  it('that are added later are prepared while earlier ones are written, and written after them', async () => {
    const fixture = new Fixture();
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    fixture.onWrite = ([first]) => (first === 'a' ? opened : undefined);
    const early = fixture.take('a');
    await expect.poll(() => fixture.done).toEqual(['prepare a']);
    const late = Promise.all([fixture.take('b'), fixture.take('c')]);
    await expect.poll(() => fixture.done).toEqual(['prepare a', 'prepare b c']);
    open();
    await Promise.all([early, late]);
    expect(fixture.done).toEqual(['prepare a', 'prepare b c', 'write a', 'write b c']);
  });
});

describe('a step that fails', () => {
  it.each([
    ['because of its own error', () => new Error('refused')],
    ['because another process has its partition', () => new CheckpointMoved('moved')],
  ])('%s does not affect others', async (_, error) => {
    const fixture = new Fixture();
    fixture.onWrite = (steps) => {
      if (steps.includes('bad')) throw error();
    };
    expect(statuses(await fixture.take('a', 'bad', 'c'))).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(fixture.done.filter((line) => line.startsWith('write'))).toEqual(['write a', 'write c']);
  });

  it('during its preparation does not affect others', async () => {
    const fixture = new Fixture();
    fixture.onPrepare = (steps) => {
      if (steps.includes('bad')) throw new Error('refused');
    };
    expect(statuses(await fixture.take('a', 'bad', 'c'))).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('because the database is down fails with all others, because each would wait for the database', async () => {
    const fixture = new Fixture();
    fixture.onWrite = () => {
      throw new SqlUnavailable('away');
    };
    const outcomes = await fixture.take('a', 'b');
    expect(outcomes).toMatchObject(Array(2).fill({ status: 'rejected', reason: { name: 'SqlUnavailable' } }));
    expect(fixture.done).toEqual(['prepare a b']);
    fixture.onWrite = () => {};
    expect(statuses(await fixture.take('a', 'b'))).toEqual(['fulfilled', 'fulfilled']);
  });
});
