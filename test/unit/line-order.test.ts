import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { MemoryResult } from '../../src/commands/change-memory.ts';
import { LineOrder } from '../../src/commands/line-order.ts';
import { storeMemoryInput } from '../../src/commands/store-memory.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const lineOf = (fields: object) => storeMemoryInput.parse({ content: 'a line', ...fields });

/** Stores a line and returns a weak reference to its result, to check whether it is still referenced. */
async function storeOne(lines: LineOrder, fields: object): Promise<WeakRef<MemoryResult>> {
  const result = { snapshot: 'the whole memory' } as unknown as MemoryResult;
  await lines.store(lineOf(fields), () => Promise.resolve(result));
  return new WeakRef(result);
}

describe('the earlier lines of a bulk request', () => {
  it.each([{ externalId: 'doc-1' }, { layer: 'session', scope: { session: 's1' } }])(
    '[A12] are released once they are stored: %j',
    async (fields) => {
      const lines = new LineOrder();
      const stored = await storeOne(lines, fields);
      await setImmediate();
      collect();
      expect(stored.deref()).toBeUndefined();
    },
  );

  it('[A12] delay a line with the same externalId until they end, even if they fail', async () => {
    const lines = new LineOrder();
    const order: string[] = [];
    const first = lines.store(lineOf({ externalId: 'doc-1' }), async () => {
      await setImmediate();
      order.push('first');
      throw new Error('refused');
    });
    const second = lines.store(lineOf({ externalId: 'doc-1' }), () => {
      order.push('second');
      return Promise.resolve({} as MemoryResult);
    });
    await expect(first).rejects.toThrow('refused');
    await second;
    expect(order).toEqual(['first', 'second']);
  });
});
