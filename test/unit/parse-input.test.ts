import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { storeMemoryInput } from '../../src/commands/store-memory.ts';
import { parseInput } from '../../src/domain/input/parse-input.ts';
import type { Problem } from '../../src/domain/problems.ts';

function problemOf(input: unknown, schema: z.ZodType = storeMemoryInput, fieldHints = {}): Problem {
  try {
    parseInput(schema, input, fieldHints);
  } catch (error) {
    return error as Problem;
  }
  throw new Error('the input is valid');
}

describe('the problem of an input', () => {
  it('[I2] a missing field is required', () => {
    const problem = problemOf({});
    expect(problem.message).toBe('content: is required');
    expect(problem.errors).toEqual([{ path: 'content', message: 'is required' }]);
  });

  it('[I2] a missing field inside of another one is required', () => {
    const schema = z.strictObject({
      budget: z.strictObject({ limit: z.int(), kind: z.enum(['a', 'b']) }),
      names: z.array(z.strictObject({ name: z.string() })),
    });
    expect(problemOf({ budget: {}, names: [{}] }, schema).message).toBe(
      'budget.limit: is required; budget.kind: is required; names.0.name: is required',
    );
  });

  it('[I2] the detail names three errors and counts the others', () => {
    const problem = problemOf({ content: 'x', aa: 1, bb: 2, cc: 3, dd: 4, ee: 5 });
    expect(problem.message).toBe(
      'aa: is not a known field; bb: is not a known field; cc: is not a known field; 2 more in `errors`',
    );
    expect(problem.errors).toHaveLength(5);
  });

  it('[I2] lists at most a hundred errors', () => {
    const fields = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`field${n}`, n]));
    const problem = problemOf({ content: 'x', ...fields });
    expect(problem.errors).toHaveLength(100);
    expect(problem.message).toMatch(/; 99997 more in `errors`$/);
  });

  it('[I2] names the known field that an unknown one probably means', () => {
    expect(problemOf({ text: 'x', tag: ['a'], user: 'ada' }).message).toBe(
      'content: is required; text: use content; tag: use tags; 1 more in `errors`',
    );
    expect(problemOf({ content: 'x', user: 'ada' }).message).toBe('user: use scope.user');
  });

  it('[I2] suggests for an unknown field a field of its object, or else of the whole input', () => {
    expect(problemOf({ content: 'x', scope: { userId: 'ada' } }).message).toBe(
      'scope.userId: use scope.user',
    );
    expect(problemOf({ content: 'x', scope: { metadata: {} } }).message).toBe('scope.metadata: use metadata');
  });

  it('[I2] names the place of a field that belongs elsewhere', () => {
    const hints = { reason: 'use the header X-Reason' };
    expect(problemOf({ content: 'x', reason: 'why' }, storeMemoryInput, hints).message).toBe(
      'reason: use the header X-Reason',
    );
  });

  it('[J8] lists the known fields next to an unknown one if they are few', () => {
    const schema = z.strictObject({
      size: z.int().optional(),
      box: z.strictObject({}).optional(),
      id: z.never().optional(),
    });
    expect(problemOf({ colour: 'red', box: { y: 1 } }, schema).message).toBe(
      'box.y: is not a known field: there are none here; colour: is not a known field: use one of size, box',
    );
  });

  it('[J8] says one thing about a field: a value of the wrong type has no wrong size', () => {
    const schema = z.strictObject({ size: z.int().min(1).max(9), names: z.array(z.string()).max(2) });
    expect(problemOf({ size: 1e300, names: 'long' }, schema).errors).toEqual([
      { path: 'size', message: 'must be an integer from 1 to 9' },
      { path: 'names', message: 'must be a list of texts, not text' },
    ]);
  });

  it('[I2] names an input that is not an object as the body', () => {
    expect(problemOf(7).message).toMatch(/^the body: /);
  });
});
