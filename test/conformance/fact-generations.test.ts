import { expect, it } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { inputOf, says, type ChatRequest } from '../support/scripted-language-model.ts';
import { useSummarizingServer } from '../support/summarizing-server.ts';
import { newTenant } from '../support/tenant.ts';

const { llm, server } = await useSummarizingServer({ STRATALOG_SUMMARIES: 'extractive' });

const within = { timeout: 30_000, interval: 100 };

/** A model that finds one fact in each turn: what the turn says, or what is written for it. */
const finds = (written: Readonly<Record<string, string>> = {}) =>
  says((request: ChatRequest) => ({
    facts: (inputOf(request)['turns'] as readonly Json[]).map(({ number, text }) => ({
      text: written[text] ?? text,
      turns: [number],
    })),
  }));

const factsOf = async (client: Client): Promise<string[]> =>
  (await client.get('/v1/memories?layer=user')).body.items
    .filter(({ state }: Json) => state === 'active')
    .map(({ content }: Json) => content)
    .sort();

it('[H10] facts are made anew by another model, compared, switched and rolled back', async () => {
  const { admin, key } = await newTenant(server);
  const mia = await key({ user: 'mia' });
  const [tea, moved] = ['I like green tea.', 'I have moved to Munich.'];
  llm.otherwise(finds({ [tea]: 'Mia likes green tea.', [moved]: 'Mia has moved to Munich.' }));
  const messages = [tea, moved].map((content) => ({ role: 'user', name: 'Mia', content }));
  await mia.post('/v1/conversations', { messages });
  const live = ['Mia has moved to Munich.', 'Mia likes green tea.'];
  await expect.poll(() => factsOf(mia), within).toEqual(live);
  const compared = async () => (await admin.get('/v1/admin/facts')).body;
  await expect
    .poll(compared, within)
    .toMatchObject({ live: 1, conversations: 1, generations: [{ facts: 2 }] });
  expect((await admin.post('/v1/admin/facts/switch')).body).toMatchObject({ code: 'rebuild-not-ready' });
  expect((await admin.post('/v1/admin/facts/rollback')).body).toMatchObject({ code: 'rebuild-not-ready' });
  expect((await mia.post('/v1/admin/facts/rebuild')).body).toMatchObject({ code: 'forbidden' });
  const unknown = await admin.post('/v1/admin/facts/rebuild', { model: 'none' });
  expect(unknown.body.errors).toMatchObject([{ path: 'model' }]);

  llm.otherwise(finds({ [tea]: 'Mia likes green tea.', [moved]: 'Mia moved to Munich.' }));
  const rebuilt = await admin.post('/v1/admin/facts/rebuild', { model: 'gpt-4o-mini' });
  expect(rebuilt).toMatchObject({ status: 202, body: { generation: 2 } });
  await expect.poll(async () => (await compared()).generations[1]?.drawn, within).toBe(1);
  expect(llm.requests.at(-1)!.model).toBe('gpt-4o-mini');
  expect((await compared()).comparison).toMatchObject({
    generation: 2,
    same: 1,
    onlyLive: { count: 1, examples: [{ content: 'Mia has moved to Munich.' }] },
    onlyOther: { count: 1, examples: [{ content: 'Mia moved to Munich.' }] },
  });
  // Nobody finds them before they are live.
  expect(await factsOf(mia)).toEqual(live);
  expect((await admin.post('/v1/admin/facts/switch')).body).toMatchObject({ live: 2 });
  await expect.poll(() => factsOf(mia), within).toEqual(['Mia likes green tea.', 'Mia moved to Munich.']);
  const dog = 'I have a dog called Rex.';
  await mia.post('/v1/conversations', { messages: [{ role: 'user', name: 'Mia', content: dog }] });
  await expect.poll(() => factsOf(mia), within).toContain(dog);
  expect(llm.requests.at(-1)!.model).toBe('gpt-4o-mini');
  expect((await admin.post('/v1/admin/facts/rollback')).body).toMatchObject({ live: 1 });
  await expect.poll(() => factsOf(mia), within).toEqual([dog, ...live].sort());
}, 120_000);
