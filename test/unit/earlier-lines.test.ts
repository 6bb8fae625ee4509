import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { MemoryResult } from '../../src/commands/change-memory.ts';
import { EarlierLines } from '../../src/commands/earlier-lines.ts';
import { storeMemoryInput } from '../../src/commands/store-memory.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const lineOf = (fields: object) => storeMemoryInput.parse({ content: 'a line', ...fields });

/** Stores a line of its own result, and answers what tells whether anything still holds that. */
async function storeOne(earlier: EarlierLines, fields: object): Promise<WeakRef<MemoryResult>> {
  const result = { snapshot: 'the whole memory' } as unknown as MemoryResult;
  await earlier.before(lineOf(fields), () => Promise.resolve(result));
  return new WeakRef(result);
}

describe('the earlier lines of a bulk request', () => {
  it.each([{ externalId: 'doc-1' }, { layer: 'session', scope: { session: 's1' } }])(
    '[A12] are forgotten once they are stored, however many come: %j',
    async (fields) => {
      const earlier = new EarlierLines();
      const stored = await storeOne(earlier, fields);
      await setImmediate();
      collect();
      expect(stored.deref()).toBeUndefined();
    },
  );

  it('[A12] hold up a line with the same externalId, also where they fail', async () => {
    const earlier = new EarlierLines();
    const order: string[] = [];
    const first = earlier.before(lineOf({ externalId: 'doc-1' }), async () => {
      await setImmediate();
      order.push('first');
      throw new Error('refused');
    });
    const second = earlier.before(lineOf({ externalId: 'doc-1' }), () => {
      order.push('second');
      return Promise.resolve({} as MemoryResult);
    });
    await expect(first).rejects.toThrow('refused');
    await second;
    expect(order).toEqual(['first', 'second']);
  });
});
