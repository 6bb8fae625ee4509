import { beforeAll, describe, expect, it } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { auditEvents } from '../support/events.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
const secret = 'the safe is behind the picture';

let tenant: Tenant;
/** One memory of the user `bob`, linked to one of the team `t`. */
let ofBob: Json;
let ofTeam: Json;
let position: string;
let bob: Client;

beforeAll(async () => {
  tenant = await newTenant(server);
  bob = await tenant.key({ user: 'bob', teams: ['t'] });
  ofBob = (await bob.store({ content: secret, tags: ['kept'] })).memory;
  ofTeam = (await bob.store({ content: 'of the team', layer: 'team', scope: { team: 't' } })).memory;
  ({ position } = (await bob.put(`/v1/memories/${ofBob.id}/links/related/${ofTeam.id}`)).body);
});

/** The AuditRead events that the credential of `client` causes in `act`. */
async function readEventsOf(client: Client, act: () => Promise<unknown>): Promise<Json[]> {
  const principal = `key:${client.key!.split('.')[1]}`;
  await act();
  // The position of a later command, which the read events precede.
  const later = (await bob.store({ content: 'a mark' })).position;
  const reads = await auditEvents(tenant.admin, 'type=AuditRead', later);
  return reads.filter((read) => read.principal === principal);
}

const shown = (reads: readonly Json[]) => reads.map(({ data }) => data);

describe('reads by an auditor', () => {
  it('[F1] record an event for a memory, with or without asOf', async () => {
    const auditor = await tenant.key({ role: 'auditor', user: 'otto' });
    const reads = await readEventsOf(auditor, async () => {
      expect((await auditor.get(`/v1/memories/${ofBob.id}`)).status).toBe(200);
      expect((await auditor.get(`/v1/memories/${ofBob.id}?asOf=${position}`)).status).toBe(200);
    });
    expect(reads).toMatchObject([
      { actor: 'user:otto', data: { what: 'memory', memoryId: ofBob.id, items: 1 } },
      { data: { what: 'memory', memoryId: ofBob.id, items: 1, parameters: { asOf: position } } },
    ]);
    expect(JSON.stringify(reads)).not.toContain('picture');
  });

  it('[F1] record an event for a list with its parameters, even when it is empty', async () => {
    const auditor = await tenant.key({ role: 'auditor', user: 'otto' });
    const reads = await readEventsOf(auditor, async () => {
      const { body } = await auditor.get(`/v1/memories?tag=kept&minPosition=${position}`);
      expect(body.items).toHaveLength(1);
      await auditor.get('/v1/memories?tag=none&limit=3');
    });
    expect(shown(reads)).toMatchObject([
      { what: 'memory list', items: 1, parameters: { tag: ['kept'] } },
      { what: 'memory list', items: 0, parameters: { tag: ['none'], limit: 3 } },
    ]);
    expect(JSON.stringify(reads)).not.toContain('picture');
  });

  it('[F1] record an event for related memories', async () => {
    const auditor = await tenant.key({ role: 'auditor' });
    const reads = await readEventsOf(auditor, async () => {
      const { body } = await auditor.get(`/v1/memories/${ofBob.id}/related?depth=2&minPosition=${position}`);
      expect(body.items).toHaveLength(1);
    });
    expect(shown(reads)).toMatchObject([
      { what: 'related memories', memoryId: ofBob.id, items: 1, parameters: { depth: 2 } },
    ]);
  });

  it('[A15] [F1] record an event for the figures', async () => {
    const auditor = await tenant.key({ role: 'auditor' });
    const reads = await readEventsOf(auditor, () => auditor.get('/v1/stats'));
    expect(shown(reads)).toMatchObject([{ what: 'figures' }]);
  });

  it('[F1] record no event when they are rejected', async () => {
    const auditor = await tenant.key({ role: 'auditor' });
    const reads = await readEventsOf(auditor, async () => {
      expect((await auditor.get('/v1/memories/0198c1d2-0000-7000-8000-000000000000')).status).toBe(404);
      expect((await auditor.get('/v1/memories?limit=0')).status).toBe(400);
    });
    expect(reads).toEqual([]);
  });
});

describe('reads by an operator or admin', () => {
  it('[F1] record an event only for what a member in the same place could not see', async () => {
    const admin = await tenant.key({ role: 'admin', user: 'eve', teams: ['e'] });
    const own = await admin.store({ content: 'of eve', layer: 'user', tags: ['own'] });
    const shared = await admin.store({ content: 'for all', layer: 'company', tags: ['own'] });
    const path = (id: string) => `/v1/memories/${id}`;
    await admin.put(`${path(own.memory.id)}/links/related/${shared.memory.id}`);
    const none = await readEventsOf(admin, async () => {
      await admin.get(path(own.memory.id));
      await admin.get(path(shared.memory.id));
      await admin.get(`${path(own.memory.id)}/related?minPosition=${shared.position}`);
      const { body } = await admin.get(`/v1/memories?tag=own&minPosition=${shared.position}`);
      expect(body.items).toHaveLength(2);
    });
    expect(none).toEqual([]);
    const beyond = await readEventsOf(admin, async () => {
      await admin.get(path(ofBob.id));
      await admin.get(path(ofTeam.id));
      await admin.get(`/v1/memories?minPosition=${position}`);
      await admin.get(`${path(ofTeam.id)}/related?minPosition=${position}`);
    });
    expect(shown(beyond)).toMatchObject([
      { what: 'memory', memoryId: ofBob.id },
      { what: 'memory', memoryId: ofTeam.id },
      { what: 'memory list' },
      { what: 'related memories', memoryId: ofTeam.id, items: 1 },
    ]);
  });

  it('[F1] record an event when the memory is the answer of a command that changed nothing', async () => {
    const path = `/v1/memories/${ofBob.id}`;
    const changeNothing = [
      (admin: Client) => admin.patch(path, {}, { 'if-match': '*' }),
      (admin: Client) => admin.post(`${path}/restore`),
      (admin: Client) => admin.delete(`${path}/links/causes/${ofTeam.id}`),
    ];
    const eve = () => tenant.key({ role: 'admin', user: 'eve' });
    for (const act of changeNothing) {
      const admin = await eve();
      const reads = await readEventsOf(admin, async () => {
        const { status, body } = await act(admin);
        expect([status, body.memory.content]).toEqual([200, secret]);
      });
      expect(shown(reads)).toMatchObject([{ what: 'memory', memoryId: ofBob.id, items: 1 }]);
    }
    const admin = await eve();
    const own = await admin.store({ content: 'of eve' });
    const none = await readEventsOf(admin, () =>
      admin.patch(`/v1/memories/${own.memory.id}`, {}, { 'if-match': '*' }),
    );
    expect(none).toEqual([]);
  });

  it.each(['operator', 'admin'])(
    '[A15] [F1] record an event for the figures of the whole tenant: %s',
    async (role) => {
      const client = await tenant.key({ role });
      const reads = await readEventsOf(client, () => client.get('/v1/stats'));
      expect(shown(reads)).toMatchObject([{ what: 'figures' }]);
    },
  );

  it('[I1] [F1] record an event for the list of keys', async () => {
    const admin = await tenant.key({ role: 'admin' });
    let count = 0;
    const reads = await readEventsOf(admin, async () => {
      count = (await admin.get('/v1/admin/keys')).body.items.length;
    });
    expect(shown(reads)).toMatchObject([{ what: 'API keys', items: count }]);
  });
});

describe('reads by anyone else', () => {
  it.each(['member', 'reader'])('[F1] record no event: %s', async (role) => {
    const client = await tenant.key({ role, user: 'bob', teams: ['t'] });
    const reads = await readEventsOf(client, async () => {
      for (const path of [ofBob.id, `${ofBob.id}/related`])
        expect((await client.get(`/v1/memories/${path}`)).status).toBe(200);
      for (const path of ['memories', 'stats']) expect((await client.get(`/v1/${path}`)).status).toBe(200);
    });
    expect(reads).toEqual([]);
  });
});
