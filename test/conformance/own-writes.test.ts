import { describe, expect, it } from 'vitest';
import { clientWithKey, freshTenant, type Json } from '../support/api.ts';
import { useSharedServer } from '../support/use-server.ts';

describe('its own writes', () => {
  const server = useSharedServer('deterministic');
  const newcomer = () => clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });

  it('[A10] a search right after a store finds it, or says that it is not searchable yet', async () => {
    const ada = await newcomer();
    let found = 0;
    let told = 0;
    for (let n = 0; n < 40; n++) {
      const { memory } = await ada.store({
        content: `The locker number ${n} belongs to the heron of pond ${n}.`,
      });
      const { body } = await ada.post('/v1/search', { query: `heron of pond ${n}`, threshold: 0, topK: 3 });
      if (body.results.some(({ memory: { id } }: Json) => id === memory.id)) found++;
      else if (body.warnings.some(({ code }: Json) => code === 'indexing')) told++;
    }
    expect(found + told).toBe(40);
    // On a busy machine half a second is not enough for most.
    expect(found).toBeGreaterThan(0);
  });

  it('[A10] lists, contexts, statistics and links have them too', async () => {
    const ada = await newcomer();
    const { memory } = await ada.store({ content: 'The spare key hangs behind the door.' });
    expect((await ada.get('/v1/memories')).body.items).toHaveLength(1);
    const other = await ada.store({ content: 'The door of the shed is green.' });
    const { body: stats } = await ada.get('/v1/stats');
    expect(stats, JSON.stringify(stats)).toMatchObject({ total: { active: 2 } });
    const link = `/v1/memories/${memory.id}/links/related/${other.memory.id}`;
    expect((await ada.put(link, {})).status).toBe(200);
    expect((await ada.get(`/v1/memories/${memory.id}/related`)).body.items).toHaveLength(1);
    await ada.store({ content: 'The lawn mower is in the shed.' });
    const context = await ada.post('/v1/context', {
      query: 'Where is the lawn mower?',
      tokenBudget: 100,
      threshold: 0,
    });
    expect(context.body.text).toContain('lawn mower');
  });

  it('[A10] what is not searchable yet is counted, and waitMs 0 does not wait', async () => {
    const ada = await newcomer();
    const lines = Array.from({ length: 1_000 }, (_, n) => ({
      content: `Note ${n} of the logbook, page ${n % 50}.`,
    }));
    await ada.bulk(lines);
    const at = performance.now();
    const { body } = await ada.post('/v1/search', { query: 'logbook', threshold: 0, waitMs: 0 });
    expect(body.warnings).toEqual([]);
    const waited = await ada.post('/v1/search', { query: 'logbook', threshold: 0, waitMs: 1 });
    expect(performance.now() - at).toBeLessThan(10_000);
    const indexing = waited.body.warnings.find(({ code }: Json) => code === 'indexing');
    if (indexing) expect(indexing.detail).toMatch(/^\d+ of your latest changes (is|are) not searchable yet$/);
    const whole = await ada.post('/v1/search', {
      query: 'logbook',
      threshold: 0,
      topK: 1_000,
      waitMs: 30_000,
    });
    expect(whole.status).toBe(200);
  });

  it('[A10] other callers wait for nothing, and minPosition is as strict as before', async () => {
    const ada = await newcomer();
    const { position } = await ada.store({ content: 'The heron stands in the reeds.' });
    const ahead = `${position.split('-')[0]}-zzzzzz`;
    const { status, body } = await ada.post('/v1/search', { query: 'heron', minPosition: ahead, waitMs: 50 });
    expect([status, body.code]).toEqual([504, 'position-timeout']);
  });
});
