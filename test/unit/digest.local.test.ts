import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf, type Digested } from '../../src/read-models/digest.ts';
import { openTestStore, type TestStore } from '../support/event-store.ts';

let test: TestStore;

beforeAll(async () => {
  test = await openTestStore();
});
afterAll(() => test.close());

const columns: Digested = {
  name: 'text',
  list: 'text[]',
  id: 'uuid',
  small: 'integer',
  large: 'bigint',
  yes: 'boolean',
  part: 'double precision',
  at: 'timestamptz',
  json: 'jsonb',
};
const row = `('a', '{x,y}', '00000000-0000-0000-0000-000000000001', 7, 8, true, 0.5, '2026-01-02T03:04:05Z', '{"a":1}')`;
const others = [
  `('b', '{x,y}', '00000000-0000-0000-0000-000000000001', 7, 8, true, 0.5, '2026-01-02T03:04:05Z', '{"a":1}')`,
  `('a', '{y,x}', '00000000-0000-0000-0000-000000000001', 7, 8, true, 0.5, '2026-01-02T03:04:05Z', '{"a":1}')`,
  `('a', '{x,y}', '00000000-0000-0000-0000-000000000002', 7, 8, true, 0.5, '2026-01-02T03:04:05Z', '{"a":1}')`,
  `('a', '{x,y}', '00000000-0000-0000-0000-000000000001', 8, 7, true, 0.5, '2026-01-02T03:04:05Z', '{"a":1}')`,
  `('a', '{x,y}', '00000000-0000-0000-0000-000000000001', 7, 9, true, 0.5, '2026-01-02T03:04:05Z', '{"a":1}')`,
  `('a', '{x,y}', '00000000-0000-0000-0000-000000000001', 7, 8, false, 0.5, '2026-01-02T03:04:05Z', '{"a":1}')`,
  `('a', '{x,y}', '00000000-0000-0000-0000-000000000001', 7, 8, true, 0.25, '2026-01-02T03:04:05Z', '{"a":1}')`,
  `('a', '{x,y}', '00000000-0000-0000-0000-000000000001', 7, 8, true, 0.5, '2026-01-02T03:04:05.001Z', '{"a":1}')`,
  `('a', '{x,y}', '00000000-0000-0000-0000-000000000001', 7, 8, true, 0.5, '2026-01-02T03:04:05Z', '{"a":2}')`,
  `(null, null, null, null, null, null, null, null, null)`,
];

async function digestOfRows(...rows: string[]): Promise<string> {
  const names = Object.keys(columns).join(', ');
  const types = Object.entries(columns).map(([name, type]) => `${name}::${type}`);
  const table = `(select ${types.join(', ')} from (values ${rows.join(', ')}) as v(${names})) t`;
  const [found] = await test.sql.query<{ digest: string }>(digestOf(table, columns));
  return found!.digest;
}

describe('[F4] a digest', () => {
  it('changes with the value of any column', async () => {
    const digests = await Promise.all([row, ...others].map((one) => digestOfRows(one)));
    expect(new Set(digests).size).toBe(1 + others.length);
  });

  it('does not depend on the order of rows, and changes if a row is missing', async () => {
    const rows = [row, ...others];
    const whole = await digestOfRows(...rows);
    expect(await digestOfRows(...rows.toReversed())).toBe(whole);
    const fewer = await Promise.all(rows.map((_, index) => digestOfRows(...rows.toSpliced(index, 1))));
    expect(new Set([whole, ...fewer]).size).toBe(1 + rows.length);
  });

  it('exists without rows', async () => {
    const [found] = await test.sql.query<{ digest: string }>(
      digestOf('follow.parked', { name: 'text' }, 'false'),
    );
    expect(found!.digest).toBe('0:0');
  });
});
