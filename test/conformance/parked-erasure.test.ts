import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openPglite } from '../../src/adapters/pglite/open.ts';
import { clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { expectClear, stratalog, stratalogAs } from '../support/cli.ts';
import { auditEvents } from '../support/events.ts';
import { metricsOf } from '../support/metrics.ts';
import { startServer, type TestServer } from '../support/server.ts';

const patience = { timeout: 30_000, interval: 100 };
const base = '/v1/admin/projections';
const stubborn = 'the vault is damaged';

/**
 * The first attempts to destroy a key fail, as if the vault were damaged until somebody repairs it: that of the caller, three of the
 * reactor (with its page, alone, and once more after parking the stream), and one for which an operator asks.
 */
const damage = `
create sequence control.attempts;
create function control.refuse() returns trigger language plpgsql as $$
begin
  if new.destroyed_at is not null and nextval('control.attempts') <= 5 then raise exception '${stubborn}'; end if;
  return new;
end $$;
create trigger refuse before insert or update on control.data_keys for each row execute function control.refuse();
`;

const environment = { STRATALOG_EMBEDDER: 'deterministic' };

describe('an erasure that a reactor cannot complete', () => {
  let dataDir: string;
  let server: TestServer;
  let admin: Client;
  let operator: Client;
  let stream: string;

  const erasures = async (): Promise<Json> =>
    (await operator.get(base)).body.reactors.find(({ name }: Json) => name === 'erasures');
  const retry = () => operator.post(`${base}/erasures/retry`, { stream });

  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'stratalog-'));
    await (await startServer({ dataDir, environment })).stop();
    const sql = await openPglite({ dataDir });
    await sql.execute(damage);
    await sql.close();
    server = await startServer({ dataDir, environment });
    const tenant = freshTenant();
    admin = await clientWithKey(server, { tenant, role: 'admin', user: 'ada' });
    operator = await clientWithKey(server, { tenant, role: 'operator' });
    const { memory } = await admin.store({ content: 'The heron stands in the reeds' });
    stream = `memory-${tenant}.${memory.id}`;
    expect((await admin.delete(`/v1/memories/${memory.id}?mode=erase`)).status).toBe(500);
    await vi.waitFor(async () => expect((await erasures()).parked).toHaveLength(1), patience);
    // The reactor has tried once more by itself.
    await sleep(1_500);
  });

  afterAll(async () => {
    await server?.remove();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('[G4] [F6] is listed with its reason, by API and CLI, and counted by /readyz and /metrics', async () => {
    expect(await erasures()).toMatchObject({
      lock: 'here',
      parked: [{ stream, type: 'MemoryErased', error: stubborn }],
    });
    const { json } = await stratalogAs(server, operator, 'projections', 'status', '--json');
    expect(json.find(({ name }: Json) => name === 'erasures')).toMatchObject({
      kind: 'reactor',
      parked: [{ stream }],
    });
    const { stdout } = await stratalogAs(server, operator, 'projections', 'list');
    expect(stdout).toMatch(/^erasures +running +\d+ +0 +1$/m);
    expect(stdout).toContain(`erasures: ${stream} waits at MemoryErased: ${stubborn}`);
    const { reactors } = (await operator.get('/readyz')).body;
    expect(reactors).toContainEqual(expect.objectContaining({ name: 'erasures', lag: 0, parked: 1 }));
    expect((await metricsOf(server)).get('stratalog_processor_parked{processor="erasures"}')).toBe(1);
  });

  it('[G4] [F6] is retried by an operator: while the cause lasts the answer tells it, afterwards it is complete', async () => {
    const refused = await stratalogAs(server, operator, 'projections', 'retry', 'erasures', stream);
    expectClear(refused, 1, /409 still-parked/, new RegExp(stubborn));
    const retried = await retry();
    expect(retried).toMatchObject({ status: 202, body: { projection: 'erasures', stream } });
    expect((await erasures()).parked).toEqual([]);
    expect((await retry()).body).toMatchObject({ code: 'not-found' });
    const acts = await auditEvents(admin, 'type=ParkedStreamRetried');
    expect(acts.map(({ data }: Json) => data)).toMatchObject([
      { projection: 'erasures' },
      { projection: 'erasures' },
    ]);
  });

  it('[G4] unknown names and streams are refused', async () => {
    for (const act of ['retry', 'skip']) {
      expect((await operator.post(`${base}/erasure/${act}`, { stream })).body).toMatchObject({
        status: 404,
        detail: expect.stringContaining('there is no projection or reactor erasure') as string,
      });
      expect((await operator.post(`${base}/conflicts/${act}`, { stream })).status).toBe(404);
    }
    expect((await operator.post(`${base}/erasures/rebuild`, {})).status).toBe(404);
  });

  it('[J8] doctor finds no parked stream afterwards', async () => {
    await server.stop();
    const { stdout } = await stratalog(['doctor', '--data', dataDir]);
    expect(stdout).not.toContain('parked');
  });
});
