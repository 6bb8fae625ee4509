import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { expectProblem } from '../support/problem.ts';
import { newTenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer();
const path = '/v1/admin/content-routing';
const rules = [{ when: { source: 'user_cli', contains: ['ferry', 'tide table'] }, spaces: ['harbour'] }];

describe('[H2] rules of content routing', () => {
  it('are read and replaced, with an ETag', async () => {
    const { admin } = await newTenant(server);
    const none = await admin.get(path);
    expect([none.status, none.headers.get('etag')]).toEqual([200, '"-1"']);
    expect(none.body).toEqual({ rules: [], configured: false, revision: -1 });
    expectProblem(await admin.put(path, { rules }, { 'if-match': '"0"' }), 412, 'revision-mismatch');
    const put = await admin.put(path, { rules, fallback: 'inbox' });
    expect(put.status).toBe(200);
    expect(put.body).toMatchObject({ rules, fallback: ['inbox'], configured: true, revision: 0 });
    const got = await admin.get(`${path}?minPosition=${put.body.position}`);
    expect([got.headers.get('etag'), got.body.fallback]).toEqual(['"0"', ['inbox']]);
    expect((await admin.put(path, { rules }, { 'if-match': '"0"' })).body).toMatchObject({ revision: 1 });
    expectProblem(await admin.put(path, { rules: [] }, { 'if-match': '"0"' }), 412, 'revision-mismatch');
  });

  it('are those of presets where nobody configured any', async () => {
    const { admin } = await newTenant(server);
    await admin.put('/v1/spaces/papers', { preset: 'research' });
    const { body } = await admin.get(path);
    expect(body.configured).toBe(false);
    expect(body.rules.length).toBeGreaterThan(0);
    expect(new Set(body.rules.flatMap((rule: Json) => rule.spaces))).toEqual(new Set(['papers']));
    await admin.delete('/v1/spaces/papers');
    expect((await admin.get(path)).body.rules).toEqual([]);
  });

  it('are for admins to write, and name the field that is wrong', async () => {
    const { admin, key } = await newTenant(server);
    const member = await key({ role: 'member', user: 'bob' });
    expectProblem(await member.put(path, { rules }), 403, 'forbidden');
    expectProblem(await member.get(path), 403, 'forbidden');
    expect((await (await key({ role: 'auditor' })).get(path)).status).toBe(200);
    const wrong = await admin.put(path, { rules: [{ when: {}, spaces: ['a'] }] });
    expectProblem(wrong, 400, 'validation-failed');
    expect(wrong.body.errors[0].path).toBe('rules.0.when');
  });

  it('stand in the guide as they can be sent', async () => {
    const { admin } = await newTenant(server);
    const guide = await readFile('docs/guides/spaces.md', 'utf8');
    const blocks = [...guide.matchAll(/^```json\n(.*?)^```$/gms)].map(([, block]) => JSON.parse(block!));
    expect(blocks.map((block) => Object.keys(block))).toEqual([['rules', 'fallback'], ['spaces']]);
    expect((await admin.put(path, blocks[0])).status).toBe(200);
  });
});

/** A tenant with memories in two spaces, and one without a space. */
async function withSpaces(): Promise<{ admin: Client; minPosition: string }> {
  const { admin } = await newTenant(server);
  const store = (content: string, ...spaces: string[]) =>
    admin.store({ content, layer: 'company', ...(spaces.length > 0 && { spaces }) });
  await store('Swarms of bees are caught with a skep in May', 'bees');
  await store('The queen bee is marked blue in years that end with 0 or 5', 'bees');
  await store('Honey is extracted in the shed behind the orchard', 'bees', 'farm');
  await store('Tram line 4 is replaced by buses in May', 'trams');
  await store('The depot of the trams is locked at one in the morning', 'trams');
  const { position } = await store('The museum is closed on Mondays');
  return { admin, minPosition: position };
}

describe('[H2] a search with spaces "auto"', () => {
  const ask = async (client: Client, query: string, more: object): Promise<Json> => {
    const reply = await client.post('/v1/search', { query, spaces: 'auto', waitMs: 30_000, ...more });
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
    return reply.body;
  };
  const spacesOf = ({ results }: Json): string[][] => results.map(({ memory }: Json) => memory.spaces);

  it('narrows to the space whose memories surely answer, says so and records it', async () => {
    const { admin, minPosition } = await withSpaces();
    const wait = { minPosition, threshold: 0 };
    const found = await ask(admin, 'In which colour is the queen bee marked?', wait);
    expect(found.spaces).toEqual({ chosen: ['bees'], because: 'similar' });
    expect(spacesOf(found).every((spaces) => spaces.includes('bees'))).toBe(true);
    const { body: audited } = await admin.get(`/v1/audit/searches/${found.searchId}?waitMs=30000`);
    expect(audited.request).toMatchObject({ spaces: ['bees'], spaceChoice: found.spaces });
    // A memory of the space that is stored later changes neither the choice nor the answer.
    await admin.store({
      content: 'The queen bee is marked in any colour',
      layer: 'company',
      spaces: ['trams'],
    });
    const replay = await admin.post(`/v1/audit/searches/${found.searchId}/replay`, { waitMs: 30_000 });
    expect(replay.body).toMatchObject({ differences: [] });
  });

  it('searches everything where no space surely fits', async () => {
    const { admin, minPosition } = await withSpaces();
    const wait = { minPosition, threshold: 0 };
    for (const query of ['May', 'Is the museum closed on Mondays?', 'What is the capital of Peru?']) {
      const found = await ask(admin, query, wait);
      expect([query, found.spaces]).toEqual([query, { chosen: [], because: 'unsure' }]);
      const bare = await ask(admin, query, { ...wait, spaces: undefined });
      expect(bare.spaces).toBeUndefined();
      expect(found.results.map(({ memory }: Json) => memory.id)).toEqual(
        bare.results.map(({ memory }: Json) => memory.id),
      );
    }
  });

  it('takes hints out of the question, of known spaces alone', async () => {
    const { admin, minPosition } = await withSpaces();
    const wait = { minPosition, threshold: 0 };
    for (const query of ['what is in May --space trams', 'space:Trams what is in May']) {
      const found = await ask(admin, query, wait);
      expect(found.spaces).toEqual({ chosen: ['trams'], because: 'hint' });
      expect(spacesOf(found)).toEqual([['trams'], ['trams']]);
      const { body: audited } = await admin.get(`/v1/audit/searches/${found.searchId}?waitMs=30000`);
      expect(audited.request.query).toBe('what is in May');
    }
    expect((await ask(admin, 'what is in May --space boats', wait)).spaces.because).not.toBe('hint');
    const named = await ask(admin, 'what is in May --space trams', { ...wait, spaces: ['bees'] });
    expect(named.spaces).toBeUndefined();
    expect(spacesOf(named).every((spaces) => spaces.includes('bees'))).toBe(true);
  });

  it('counts for contexts and multi-hop searches, and not beside `space`', async () => {
    const { admin, minPosition } = await withSpaces();
    const asked = { query: 'space:bees what happens in May', spaces: 'auto', minPosition, waitMs: 30_000 };
    const context = await admin.post('/v1/context', { ...asked, tokenBudget: 200 });
    expect(context.body.spaces).toEqual({ chosen: ['bees'], because: 'hint' });
    expect(context.body.text).not.toContain('Tram');
    const hops = await admin.post('/v1/reasoning/multi-hop', asked);
    expect(hops.body.spaces).toEqual({ chosen: ['bees'], because: 'hint' });
    expectProblem(await admin.post('/v1/search', { ...asked, space: 'bees' }), 400, 'validation-failed');
  });
});
