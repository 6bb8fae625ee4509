import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPglite } from '../../src/adapters/pglite/open.ts';
import { ProcessRegistry } from '../../src/adapters/sql/process-registry.ts';
import type { Sql } from '../../src/ports/sql.ts';

let sql: Sql;

beforeAll(async () => {
  sql = await openPglite();
});
afterAll(() => sql.close());

it('[F6] [F11] a receipt waits for each process that was seen lately, until it has forgotten', async () => {
  const registry = await ProcessRegistry.open(sql);
  const [one, two, killed] = [randomUUID(), randomUUID(), randomUUID()];
  for (const id of [one, two, killed]) await registry.report(id, 10);
  expect(await registry.behind(10)).toBe(0);
  expect(await registry.behind(11)).toBe(3);
  await registry.report(one, 12);
  // A report that was delayed takes nothing back.
  await registry.report(one, 10);
  await registry.leave(two);
  await sql.query(
    `update control.processes set seen_at = now() - interval '2 minutes' where id = $1::text::uuid`,
    [killed],
  );
  expect(await registry.behind(11)).toBe(0);
  await registry.report(killed, 10);
  expect(await registry.behind(11)).toBe(1);
});
