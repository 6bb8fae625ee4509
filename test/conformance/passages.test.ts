import { beforeAll, describe, expect, it } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { expectInvalid } from '../support/problem.ts';
import { newTenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');

const filler = (n: number, sentences: number) =>
  Array.from(
    { length: sentences },
    (_, at) => `Paragraph ${n} notes that partition ${n + at} was moved to worker ${at} without a pause.`,
  ).join(' ');

/** A document of `sections` sections of about 1,100 characters each. `details` are at the end of their section. */
function documentOf(sections: number, details: Readonly<Record<number, string>> = {}): string {
  return Array.from({ length: sections }, (_, n) =>
    [`## Section ${n}`, filler(n, 13), details[n]].filter((part) => part !== undefined).join('\n\n'),
  ).join('\n\n');
}

async function search(client: Client, query: string, more: object = {}): Promise<Json> {
  const request = {
    query,
    threshold: 0,
    order: 'relevance',
    topK: 50,
    waitMs: 30_000,
    content: 'whole',
    ...more,
  };
  const reply = await client.post('/v1/search', request);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return reply.body;
}

const matched = ({ memory, passage }: Json): string => memory.content.slice(passage.start, passage.end);

describe('a long memory', () => {
  let admin: Client;

  beforeAll(async () => {
    ({ admin } = await newTenant(server));
    const notes = Array.from({ length: 60 }, (_, n) => ({
      content: `Note ${n}: worker ${n} was restarted.`,
    }));
    await admin.bulk(notes);
  });

  it('[A5] is found by a detail deep inside it, with the passage that contains it', async () => {
    for (const [sections, detail] of [
      [3, 'Ticket QZT-1003 decided this.'],
      [20, 'Ticket QZT-1020 decided this.'],
      [60, 'Ticket QZT-1060 decided this.'],
    ] as const) {
      const content = documentOf(sections, { [sections - 2]: detail });
      const { memory, position } = await admin.store({ content });
      const [id] = detail.match(/QZT-\d+/)!;
      const { results } = await search(admin, `What did ticket ${id} decide?`, { minPosition: position });
      expect(results[0].memory.id).toBe(memory.id);
      expect(matched(results[0])).toContain(detail);
      expect(results[0].passage.end - results[0].passage.start).toBeLessThan(1_500);
      expect(results[0].score).toBeGreaterThan(results[1].score);
    }
  });

  it('[A5] has the same score whether the detail is alone or in a long text', async () => {
    const detail = 'The lighthouse keeper counts the gulls at dawn.';
    const content = documentOf(12, { 7: detail });
    const { memory, position } = await admin.store({ content });
    const { results } = await search(admin, detail, { minPosition: position });
    expect(results[0].memory.id).toBe(memory.id);
    expect(results[0].score).toBeGreaterThanOrEqual(0.7);
  });

  it('[A5] is returned whole, or with its passage only', async () => {
    const detail = 'The spare key hangs behind the clock.';
    const content = documentOf(8, { 5: detail });
    const short = 'The spare key was lost once.';
    await admin.store({ content: short });
    const { memory, position } = await admin.store({ content });
    const own = ({ results }: Json) => results.find((result: Json) => result.memory.id === memory.id);
    const whole = await search(admin, 'spare key behind the clock', { minPosition: position });
    expect(own(whole).memory.content).toBe(content);
    const cut = await search(admin, 'spare key behind the clock', { content: 'passage' });
    const result = own(cut);
    expect(result.memory.content).toBe(content.slice(result.passage.start, result.passage.end));
    expect(result.memory.content).toContain(detail);
    expect(result).toMatchObject({ score: own(whole).score, passage: own(whole).passage });
    const undivided = cut.results.find(({ memory }: Json) => memory.content === short);
    expect(undivided).not.toHaveProperty('passage');
    expectInvalid(await admin.post('/v1/search', { query: 'key', content: 'half' }), 'content');
  });

  it('[A5] of more than 4,000 units is shown with what is around the passage, and whole on request', async () => {
    const detail = 'The spare key of the boathouse hangs behind the clock.';
    const content = documentOf(30, { 17: detail });
    expect(content.length).toBeGreaterThan(8_000);
    const { memory, position } = await admin.store({ content });
    const own = ({ results }: Json) => results.find((result: Json) => result.memory.id === memory.id);
    const shown = own(await search(admin, detail, { minPosition: position, content: 'auto' }));
    expect(shown).toMatchObject({ truncated: true });
    expect(shown.memory.content.length).toBeLessThanOrEqual(4_000);
    expect(shown.memory.content.length).toBeGreaterThan(2_000);
    expect(shown.memory.content).toContain(content.slice(shown.passage.start, shown.passage.end));
    expect(content.slice(shown.excerpt.start, shown.excerpt.end)).toBe(shown.memory.content);
    const whole = own(await search(admin, detail, { content: 'whole' }));
    expect(whole).not.toHaveProperty('truncated');
    expect(whole.memory.content).toBe(content);
  });

  it('[A5] follows an edit, and as of an earlier position is found by its former text', async () => {
    const { memory, position } = await admin.store({
      content: documentOf(10, { 6: 'The vault opens at seven.' }),
    });
    const changed = documentOf(10, { 6: 'The vault opens at nine.' });
    const path = `/v1/memories/${memory.id}`;
    const reply = await admin.patch(path, { content: changed }, { 'if-match': '*' });
    const found = async (query: string, more: object) => {
      const { results } = await search(admin, query, more);
      const result = results.find((one: Json) => one.memory.id === memory.id);
      return result && matched(result);
    };
    expect(await found('The vault opens at nine', { minPosition: reply.body.position })).toContain(
      'at nine.',
    );
    expect(await found('The vault opens at seven', { asOf: position })).toContain('at seven.');
    expect(await found('The vault opens', { asOf: reply.body.position })).toContain('at nine.');
  });

  it('[A5] is only found while it is active, and not by any text once it is erased', async () => {
    const detail = 'The orchard keeps QZT-5555 pears.';
    const { memory } = await admin.store({ content: documentOf(9, { 4: detail }) });
    const path = `/v1/memories/${memory.id}`;
    const isFound = async (minPosition: string) => {
      const { results } = await search(admin, 'QZT-5555 pears', { minPosition });
      return results.some((result: Json) => result.memory.id === memory.id);
    };
    const deleted = await admin.delete(path);
    expect(await isFound(deleted.body.position)).toBe(false);
    const restored = await admin.post(`${path}/restore`);
    expect(await isFound(restored.body.position)).toBe(true);
    const erased = await admin.delete(`${path}?mode=erase`);
    expect(await isFound(erased.body.position)).toBe(false);
  });

  it('[A5] is only found in its own scope', async () => {
    const { admin: owner, key } = await newTenant(server);
    const anna = await key({ user: 'anna', projects: ['atlas'] });
    const boris = await key({ user: 'boris' });
    const detail = 'The atlas archive holds QZT-7777.';
    const { position } = await owner.store({
      content: documentOf(6, { 3: detail }),
      layer: 'project',
      scope: { project: 'atlas' },
    });
    const ids = async (client: Client) =>
      (await search(client, 'QZT-7777', { minPosition: position })).results;
    expect(await ids(anna)).toHaveLength(1);
    expect(await ids(boris)).toEqual([]);
  });
});

describe('a text of a hundred pages', () => {
  it('[A5] is found by its words at once, and by the meaning of its last pages a little later', async () => {
    const { admin } = await newTenant(server);
    const detail = 'Ticket QZT-9090 moved the archive to the cellar.';
    const content = documentOf(180, { 178: detail });
    const stored = await admin.post('/v1/memories', { content });
    expect(stored).toMatchObject({ status: 201 });
    const { position } = stored.body;
    const { results } = await search(admin, 'QZT-9090', { minPosition: position });
    expect(results[0].memory.id).toBe(stored.body.memory.id);
    expect(matched(results[0])).toContain(detail);
    const codes = async () => {
      const { warnings } = await search(admin, 'Where is the archive?');
      return warnings.map(({ code }: Json) => code);
    };
    await eventually(codes).toEqual([]);
  });
});
