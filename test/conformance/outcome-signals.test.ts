import { describe, expect, it } from 'vitest';
import type { Json } from '../support/api.ts';
import { asked, askingTenant, audited, firstOf, type AskingTenant } from '../support/asked-searches.ts';
import { useServer, useSharedServer } from '../support/use-server.ts';

const within = { timeout: 30_000, interval: 200 };

const outcomesOf = async (setting: AskingTenant, { searchId }: Json): Promise<Json[]> =>
  (await audited(setting, searchId)).outcomes;

async function contextOf({ admin, position }: AskingTenant, body: Json = {}): Promise<Json> {
  const whole = {
    query: 'How long does the build take?',
    tokenBudget: 200,
    threshold: 0,
    minPosition: position,
    ...body,
  };
  return (await admin.post('/v1/context', whole)).body;
}

describe.concurrent('Training outcome signals', () => {
  const server = useSharedServer('deterministic');
  const end = (setting: AskingTenant, sessionId: string) =>
    setting.admin.post(`/v1/sessions/${sessionId}/end`, {});

  it('[C1] search result is subsequently used in context assembly: a positive signal', async ({ expect }) => {
    const setting = await askingTenant(server);
    const context = await contextOf(setting, { sessionId: 's' });
    expect(context.items.length).toBeGreaterThan(0);
    const { request, outcome } = await audited(setting, context.searchId);
    expect(request.sessionId).toBe('s');
    expect(outcome).toEqual({ kind: 'used', quality: 0.6, explicit: false, source: 'context' });
    await end(setting, 's');
    const ids = context.items.map(({ id }: Json) => id);
    await expect
      .poll(() => outcomesOf(setting, context), within)
      .toMatchObject([{ source: 'context', kind: 'used', quality: 0.6, memoryIds: ids }]);
  });

  it('[C1] user refines query after search: a partial success', async ({ expect }) => {
    const setting = await askingTenant(server);
    const session = { sessionId: 's', query: 'build time' };
    const first = await asked(setting, session);
    const other = await asked(setting, { ...session, query: 'keys of deploys' });
    const elsewhere = await asked(setting, { ...session, sessionId: 't' });
    const again = await asked(setting, session);
    const refined = await asked(setting, { ...session, query: 'build time in minutes on two cores' });
    await expect
      .poll(() => outcomesOf(setting, again), within)
      .toMatchObject([{ source: 'refinement', kind: 'refined' }]);
    expect((await audited(setting, again.searchId)).outcome).toEqual({
      kind: 'refined',
      explicit: false,
      source: 'refinement',
    });
    await end(setting, 's');
    for (const search of [first, other, refined])
      await expect
        .poll(() => outcomesOf(setting, search), within)
        .toMatchObject([{ source: 'session-end', kind: 'ignored' }]);
    expect(await outcomesOf(setting, again)).toHaveLength(1);
    expect((await outcomesOf(setting, elsewhere)).map(({ source }) => source)).not.toContain('refinement');
  });

  it('[C1] search result is ignored: a negative signal, when its session ends', async ({ expect }) => {
    const setting = await askingTenant(server);
    const silent = await asked(setting);
    const ended = await asked(setting, { sessionId: 's' });
    const used = await asked(setting, { sessionId: 's' });
    await setting.admin.post(`/v1/searches/${used.searchId}/outcome`, { used: [firstOf(used)] });
    await end(setting, 's');
    await expect
      .poll(() => outcomesOf(setting, ended), within)
      .toMatchObject([{ source: 'session-end', kind: 'ignored' }]);
    expect(await outcomesOf(setting, used)).toHaveLength(1);
    expect(await outcomesOf(setting, silent)).toEqual([]);
  });

  it('[C1] [A13] feedback that names a search is an outcome of it', async ({ expect }) => {
    const setting = await askingTenant(server);
    const search = await asked(setting);
    const [first, second] = search.results.map(({ memory }: Json) => memory.id);
    const judge = (id: string, body: Json) =>
      setting.admin.post(`/v1/memories/${id}/feedback`, { ...body, searchId: search.searchId });
    const { memory: elsewhere } = await setting.admin.store({ content: 'The canteen opens at noon.' });
    await judge(elsewhere.id, { kind: 'helpful' });
    await judge(first, { kind: 'outdated' });
    await judge(first, { kind: 'irrelevant' });
    await judge(second, { kind: 'helpful', score: 0.7 });
    await judge(second, { kind: 'helpful', score: 0.7 });
    await expect
      .poll(() => outcomesOf(setting, search), within)
      .toMatchObject([
        { source: 'feedback', kind: 'ignored', memoryIds: [first] },
        { source: 'feedback', kind: 'used', memoryIds: [second], quality: 0.7 },
      ]);
    expect((await audited(setting, search.searchId)).outcome).toEqual({
      kind: 'used',
      quality: 0.7,
      explicit: true,
      source: 'feedback',
    });
    await judge(second, { kind: 'helpful', score: -1 });
    await judge(first, { kind: 'irrelevant', score: 1 });
    await expect
      .poll(async () => (await audited(setting, search.searchId)).outcome, within)
      .toEqual({ kind: 'none', explicit: false });
  });
});

describe('Training outcome signals: the window', () => {
  const server = useServer({
    because: 'the window of a search ends within seconds',
    environment: { STRATALOG_EMBEDDER: 'deterministic', STRATALOG_OUTCOME_WINDOW: '2' },
  });

  it('[C1] search result is ignored: a negative signal, when its window passes; merely being retrieved is no signal', async () => {
    const setting = await askingTenant(server);
    const silent = await asked(setting);
    const context = await contextOf(setting);
    const late = await asked(setting, { sessionId: 's' });
    await expect
      .poll(() => outcomesOf(setting, late), within)
      .toMatchObject([{ source: 'window', kind: 'ignored' }]);
    await setting.admin.post(`/v1/searches/${late.searchId}/outcome`, { used: [firstOf(late)] });
    expect((await audited(setting, late.searchId)).outcome).toMatchObject({ kind: 'used', explicit: true });
    // Their windows have passed too.
    for (const search of [silent, context]) expect(await outcomesOf(setting, search)).toEqual([]);
  });
});
