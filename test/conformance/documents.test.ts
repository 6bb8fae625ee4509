import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { auditEvents } from '../support/events.ts';
import { packageRelationships, relationships, smallPackage } from '../support/small-package.ts';
import { useSharedServer } from '../support/use-server.ts';

const shared = useSharedServer('deterministic');

const handbook = `# Handbook

How we work with customers.

## Refunds

Refunds take five working days.

### EU

Customers in the EU may return goods within thirty days.

## Shipping

| Country | Price |
| --- | --- |
| Portugal | 4.20 |
| Japan | 19.90 |
`;

async function people(): Promise<{ admin: Client; ada: Client; bob: Client }> {
  const tenant = freshTenant();
  const admin = await clientWithKey(shared, { tenant, role: 'admin', user: 'root' });
  const member = (user: string) => clientWithKey(shared, { tenant, role: 'member', user });
  return { admin, ada: await member('ada'), bob: await member('bob') };
}

async function put(client: Client, externalId: string, body: object): Promise<Json> {
  const reply = await client.put(
    `/v1/documents/external/${encodeURIComponent(externalId)}?waitMs=30000`,
    body,
  );
  expect(reply.body).toMatchObject({ document: { externalId } });
  expect(reply.status).toBe(202);
  return reply.body.document;
}

const sections = async (client: Client, id: string): Promise<Json[]> =>
  (await client.get(`/v1/documents/${id}/memories?limit=500`)).body.items;

const base = { filename: 'handbook.md', layer: 'company' };

describe('a document', () => {
  it('[H3] becomes memories that a person would cite, which say where they stand', async () => {
    const { admin: ada } = await people();
    const reply = await ada.post('/v1/documents?waitMs=30000', {
      text: handbook,
      ...base,
      externalId: 'handbook',
      sourceUri: 'https://wiki.example/handbook',
      tags: ['policy'],
    });
    expect(reply.status).toBe(202);
    const { document } = reply.body;
    expect(document).toMatchObject({
      title: 'Handbook',
      mediaType: 'text/markdown',
      language: 'en',
      revision: 1,
      state: 'ready',
      memories: 4,
      skipped: [],
      progress: { stage: 'done', done: 4, total: 4 },
    });
    expect(reply.headers.get('location')).toBe(`/v1/documents/${document.id}`);
    const memories = await sections(ada, document.id);
    expect(memories.map(({ content }) => content)).toEqual([
      'Handbook\n\nHow we work with customers.',
      'Handbook › Refunds\n\nRefunds take five working days.',
      'Handbook › Refunds › EU\n\nCustomers in the EU may return goods within thirty days.',
      expect.stringMatching(/^Handbook › Shipping\n\n.*Country.*Price[^]*Portugal.*4\.20[^]*Japan.*19\.90/),
    ]);
    const { text } = (await ada.get(`/v1/documents/${document.id}/text`)).body;
    const eu = memories[2]!;
    expect(eu).toMatchObject({
      trust: { source: 'document' },
      tags: ['policy'],
      metadata: { content_type: document.contentType },
      source: {
        documentId: document.id,
        externalId: 'handbook',
        uri: 'https://wiki.example/handbook',
        title: 'Handbook',
        path: ['Handbook', 'Refunds', 'EU'],
      },
    });
    expect(text.slice(eu.source.start, eu.source.end)).toContain('within thirty days');
    const found = await ada.post('/v1/search', { query: 'return goods in the EU within thirty days' });
    expect(found.body.results[0].memory).toMatchObject({ id: eu.id, source: eu.source });
    const context = await ada.post('/v1/context', { query: 'return goods in the EU', tokenBudget: 500 });
    expect(context.body.items[0].citation).toContain('Handbook › Refunds › EU');
  });

  it('[H11] costs nothing again, and changes the memories of the sections that changed', async () => {
    const { admin } = await people();
    const first = await put(admin, 'handbook', { text: handbook, ...base });
    const before = await sections(admin, first.id);
    const events = async () =>
      (await auditEvents(admin)).filter(({ type }) => /^(Document|Memory)/.test(type as string));
    const known = await events();
    const again = { text: handbook, externalId: 'handbook', ...base };
    expect(await put(admin, 'handbook', again)).toMatchObject({ revision: 1 });
    expect(await events()).toEqual(known);

    const changed = handbook
      .replace('five working days', 'three working days')
      .replace('## Shipping', '## Returns\n\nSend goods to Porto.\n\n## Shipping')
      .replace(/### EU[^]*?thirty days\.\n/, '');
    const second = await put(admin, 'handbook', { text: changed, ...base });
    expect(second).toMatchObject({ id: first.id, revision: 2, state: 'ready', memories: 4 });
    const after = await sections(admin, first.id);
    const byHeading = (list: Json[], heading: string) =>
      list.find(({ source }) => source.path.at(-1) === heading);
    expect(byHeading(after, 'Refunds')).toMatchObject({ id: before[1]!.id, revision: 1 });
    expect(byHeading(after, 'Refunds')!.content).toContain('three working days');
    expect(byHeading(after, 'Refunds')!.trust.source).toBe('document');
    // It moved, and stays at its revision.
    expect(byHeading(after, 'Shipping')).toMatchObject({ id: before[3]!.id, revision: 0 });
    expect(byHeading(after, 'EU')).toBeUndefined();
    const eu = (await admin.get(`/v1/memories/${before[2]!.id}`)).body;
    expect(eu.state).toBe('deleted');

    const third = await put(admin, 'handbook', { text: handbook, ...base });
    expect(third.revision).toBe(3);
    expect((await sections(admin, first.id)).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    const old = await admin.get(`/v1/documents/${first.id}/text?asOf=${known.at(-1)!.position}`);
    expect(old.body.text).toContain('five working days');
  });

  it('[H3] [H11] gives its memories the tags of its front matter, beside those of the caller', async () => {
    const { ada } = await people();
    const note = (tags: string) => ({
      text: `---\ntags: ${tags}\n---\n\n# Hives\n\nThey face south.`,
      tags: ['mine'],
    });
    const tagsOf = async (id: string) => (await sections(ada, id)).map(({ tags }) => tags as string[]);
    const first = await put(ada, 'hives.md', note('[bees, garden]'));
    // The document has the tags of its sender, so that a program can compare them with its own.
    expect(first.tags).toEqual(['mine']);
    expect(await tagsOf(first.id)).toEqual([['mine', 'bees', 'garden']]);
    expect((await put(ada, 'hives.md', note('[bees, garden]'))).revision).toBe(1);
    const { id } = await put(ada, 'hives.md', note('[bees]'));
    expect(await tagsOf(id)).toEqual([['mine', 'bees']]);
    const [left, ...rest] = await sections(ada, id);
    expect([left!.id, rest]).toEqual([(await sections(ada, first.id))[0]!.id, []]);
    await put(ada, 'hives.md', { ...note('[bees]'), tags: [] });
    expect(await tagsOf(id)).toEqual([['bees']]);
  });

  it('[H11] is the same under another name, if the caller says so', async () => {
    const { ada } = await people();
    const first = await put(ada, 'old.md', { text: handbook, filename: 'old.md' });
    const moved = await put(ada, 'new.md', { text: handbook, filename: 'new.md', movedFrom: 'old.md' });
    expect(moved).toMatchObject({ id: first.id, externalId: 'new.md', memories: 4 });
    expect((await sections(ada, first.id)).every(({ revision }) => revision === 0)).toBe(true);
    const another = await put(ada, 'old.md', { text: '# Other\n\nSomething else.', filename: 'old.md' });
    expect(another.id).not.toBe(first.id);
  });

  it('[H3] whose file cannot be read says why, and keeps its last good revision', async () => {
    const { admin: ada } = await people();
    const good = await put(ada, 'report', { text: handbook, ...base });
    const broken = Buffer.from('%PDF-1.7\n1 0 obj\n<< /Type /Catalog').toString('base64');
    const bad = await put(ada, 'report', { base64: broken, filename: 'report.pdf', layer: 'company' });
    expect(bad).toMatchObject({
      revision: 2,
      state: 'ready',
      memories: 4,
      problem: { code: 'document-unreadable', status: 422 },
    });
    expect(await sections(ada, good.id)).toHaveLength(4);
    const alone = await put(ada, 'noise', {
      base64: Buffer.from(Array.from({ length: 512 }, (_, n) => (n * 167) % 256)).toString('base64'),
      filename: 'noise.bin',
    });
    expect(alone).toMatchObject({ state: 'failed', memories: 0, problem: { code: 'unsupported-document' } });
    expect(await sections(ada, alone.id)).toEqual([]);
  });

  it('[H3] is deleted with its sections, and restored with them', async () => {
    const { ada, bob } = await people();
    const { id } = await put(ada, 'handbook', { text: handbook, filename: 'handbook.md' });
    expect((await bob.get(`/v1/documents/${id}`)).status).toBe(404);
    expect((await bob.delete(`/v1/documents/${id}`)).status).toBe(404);
    const [first] = await sections(ada, id);
    expect((await ada.delete(`/v1/documents/${id}`)).body.document.state).toBe('deleted');
    const stateOf = async () => (await ada.get(`/v1/memories/${first!.id}`)).body.state;
    await expect.poll(stateOf, { timeout: 30_000 }).toBe('deleted');
    expect((await ada.get('/v1/documents')).body.items).toEqual([]);
    expect((await ada.get('/v1/documents?state=deleted')).body.items).toMatchObject([{ id }]);
    expect((await ada.post(`/v1/documents/${id}/restore`)).status).toBe(200);
    await expect.poll(stateOf, { timeout: 30_000 }).toBe('active');
    await expect.poll(async () => (await sections(ada, id)).length, { timeout: 30_000 }).toBe(4);
  });

  it('[F6] is erased with everything that was read from it, and has a receipt', async () => {
    const { admin } = await people();
    const text = handbook.replace('Portugal', 'Quartzitia');
    const { id } = await put(admin, 'handbook', { text, ...base });
    const [first] = await sections(admin, id);
    const erased = await admin.delete(`/v1/documents/${id}?mode=erase&files=immediately`);
    expect(erased.body).toMatchObject({ document: { id, state: 'erased' }, receipt: id });
    expect((await admin.get(`/v1/documents/${id}`)).status).toBe(404);
    expect((await admin.get(`/v1/documents/${id}/text`)).status).toBe(404);
    await expect
      .poll(async () => (await admin.get(`/v1/memories/${first!.id}`)).status, { timeout: 60_000 })
      .toBe(404);
    const receipt = async () => (await admin.get(`/v1/erasures/${id}`)).body;
    await expect.poll(async () => (await receipt()).state, { timeout: 60_000 }).toBe('complete');
    expect((await receipt()).target).toEqual({ kind: 'document', documentId: id });
    const all = await auditEvents(admin);
    expect(JSON.stringify(all)).not.toContain('Quartzitia');
    // Its name is free again.
    expect((await put(admin, 'handbook', { text: handbook, ...base })).id).not.toBe(id);
  });

  it('[F6] loses its text when the memory of one of its sections is erased', async () => {
    const { admin } = await people();
    const { id } = await put(admin, 'handbook', { text: handbook, ...base });
    const [, refunds, eu] = await sections(admin, id);
    expect((await admin.delete(`/v1/memories/${refunds!.id}?mode=erase`)).status).toBe(200);
    expect((await admin.get(`/v1/documents/${id}/text`)).status).toBe(404);
    const left = await sections(admin, id);
    expect(left.map(({ source }) => source.path.at(-1))).toEqual(['Handbook', 'EU', 'Shipping']);
    expect(left[1]).toMatchObject({ id: eu!.id, revision: 0, source: eu!.source });
    expect(JSON.stringify(await auditEvents(admin))).not.toContain('five working days');
    // The file still has it: stored again, it is a new memory.
    await put(admin, 'handbook', { text: handbook, tags: ['again'], ...base });
    const again = await sections(admin, id);
    expect(again[1]!.id).not.toBe(refunds!.id);
    expect(again[2]!.id).toBe(eu!.id);
  });
});

describe('the rules of a space', () => {
  it('[H3] [H7] are applied to each section; what they refuse is listed, and can be overridden', async () => {
    const { admin } = await people();
    await admin.put('/v1/spaces/wiki', {
      qualityThreshold: 0.3,
      dedupStrategy: 'exact',
      pii: { card: 'redact' },
    });
    const filler = 'buy now buy now buy now\n\n'.repeat(60);
    const text = `# Notes\n\n## Payment\n\nThe card 4111 1111 1111 1111 pays for lunch.\n\n## Filler\n\n${filler}`;
    const inSpace = { ...base, spaces: ['wiki'], filename: 'notes.md' };
    const document = await put(admin, 'notes', { text, ...inSpace });
    expect(document).toMatchObject({ state: 'ready', memories: 1, skipped: [{ reason: 'low-quality' }] });
    const [payment] = await sections(admin, document.id);
    expect(payment!.content).toContain('[card-1]');
    expect((await admin.get(`/v1/documents/${document.id}/text`)).body.text).not.toContain('4111');
    expect(JSON.stringify(await auditEvents(admin))).not.toContain('4111 1111');

    const copy = await put(admin, 'copy', { text: text.replace('## Filler', '## More'), ...inSpace });
    expect(copy.skipped.map(({ reason }: Json) => reason).sort()).toEqual(['duplicate', 'low-quality']);
    const accepted = await admin.post(`/v1/documents/${document.id}/reprocess`, { accept: ['low-quality'] });
    expect(accepted.status).toBe(200);
    await expect
      .poll(async () => (await admin.get(`/v1/documents/${document.id}`)).body.document, { timeout: 30_000 })
      .toMatchObject({ state: 'ready', skipped: [] });
    expect((await sections(admin, document.id)).length).toBeGreaterThan(1);
  });

  it('[H3] a type that the space does not take can be accepted, and is flagged; refused personal data cannot', async () => {
    const { admin } = await people();
    await admin.put('/v1/spaces/papers', { acceptedTypes: ['research_paper'], pii: { card: 'refuse' } });
    const text = '# Lunch\n\nThe canteen serves soup from eleven until two on weekdays.';
    const document = await put(admin, 'lunch', {
      text,
      ...base,
      spaces: ['papers'],
      filename: 'lunch.md',
      contentType: 'wiki',
    });
    expect(document).toMatchObject({ memories: 0, skipped: [{ reason: 'not-accepted' }] });
    const path = `/v1/documents/${document.id}/reprocess`;
    expect((await admin.post(path, { accept: ['refused'] })).body).toMatchObject({
      status: 400,
      errors: [{ path: 'accept.0' }],
    });
    expect((await admin.post(path, { accept: ['not-accepted'] })).status).toBe(200);
    await expect
      .poll(async () => (await admin.get(`/v1/documents/${document.id}`)).body.document, { timeout: 30_000 })
      .toMatchObject({ state: 'ready', memories: 1, skipped: [] });
    const [section] = await sections(admin, document.id);
    expect(section!.trust.flags).toContain('metadata');

    const later = { text: text.replace('two', 'three'), ...base, spaces: ['papers'], contentType: 'wiki' };
    expect(await put(admin, 'lunch', later)).toMatchObject({ state: 'ready', memories: 1, skipped: [] });
    const [changed] = await sections(admin, document.id);
    expect(changed).toMatchObject({ id: section!.id, revision: 1, trust: { flags: ['metadata'] } });
    expect(changed!.content).toContain('until three');
  });

  it('[H3] [H11] that refuse the new text of a section also delete the old one, until a text is accepted', async () => {
    const { admin } = await people();
    await admin.put('/v1/spaces/notes', {});
    const inSpace = { ...base, spaces: ['notes'], filename: 'pumps.md', contentType: 'wiki' };
    const monday = { ...inSpace, text: '# Pumps\n\nThe pump in cellar two is bled on Monday.' };
    const document = await put(admin, 'pumps', monday);
    const [section] = await sections(admin, document.id);
    await admin.patch('/v1/spaces/notes', { acceptedTypes: ['research_paper'] }, { 'if-match': '*' });
    const friday = { ...inSpace, text: monday.text.replace('Monday', 'Friday') };
    const skipped = [{ reason: 'not-accepted', count: 1 }];
    expect(await put(admin, 'pumps', friday)).toMatchObject({ state: 'ready', memories: 0, skipped });
    expect((await admin.get(`/v1/memories/${section!.id}`)).body.state).toBe('deleted');

    await admin.patch('/v1/spaces/notes', { acceptedTypes: null }, { 'if-match': '*' });
    expect((await admin.post(`/v1/documents/${document.id}/reprocess`, {})).status).toBe(200);
    await expect
      .poll(() => sections(admin, document.id), { timeout: 30_000 })
      .toMatchObject([{ id: section!.id, content: expect.stringContaining('Friday') }]);
  });

  it('[H3] [H6] skip what a memory says in other words, where the space collects duplicates', async () => {
    const { admin } = await people();
    await admin.put('/v1/spaces/wiki', { dedupStrategy: 'semantic', semanticSimilarityThreshold: 0.5 });
    const inSpace = { ...base, spaces: ['wiki'] };
    const first = await put(admin, 'pumps', {
      ...inSpace,
      filename: 'pumps.md',
      text: '# Pumps\n\nThe pump in cellar two must be bled every Friday, or it trips the breaker.',
    });
    const [{ id: said }] = (await sections(admin, first.id)) as [Json];
    const search = { query: 'pump in cellar two', spaces: ['wiki'], threshold: 0 };
    await expect
      .poll(async () => (await admin.post('/v1/search', search)).body.results.length, { timeout: 30_000 })
      .toBe(1);

    const again = 'Every Friday the pump in cellar two has to be bled, or it trips the breaker!';
    const told = await put(admin, 'again', { ...inSpace, filename: 'a.md', text: `# Pumps\n\n${again}` });
    expect(told).toMatchObject({
      state: 'ready',
      memories: 0,
      skipped: [{ reason: 'duplicate', count: 1, examples: [`Pumps: says the same as ${said}`] }],
    });
    const accepted = await admin.post(`/v1/documents/${told.id}/reprocess`, { accept: ['duplicate'] });
    expect(accepted.status).toBe(200);
    await expect
      .poll(async () => (await admin.get(`/v1/documents/${told.id}`)).body.document, { timeout: 30_000 })
      .toMatchObject({ state: 'ready', memories: 1, skipped: [] });

    const others = [again.replace('two', 'three'), again.replace('has to be', 'must not be')];
    for (const [at, text] of [...others, `\`\`\`\n${again}\n\`\`\``].entries())
      expect(
        await put(admin, `other ${at}`, { ...inSpace, filename: 'b.md', text: `# Pumps\n\n${text}` }),
      ).toMatchObject({ state: 'ready', memories: 1, skipped: [] });
    // Somebody else's place: who reads the section might not see the memory.
    const own = { ...inSpace, layer: 'user', filename: 'c.md', text: `# Pumps\n\n${again}` };
    expect(await put(admin, 'own', own)).toMatchObject({ memories: 1, skipped: [] });
  });

  it('[H2] apply where a rule chose the space of a document that names none', async () => {
    const { admin } = await people();
    const rules = [{ when: { contains: 'refunds' }, spaces: ['support'] }];
    expect((await admin.put('/v1/admin/content-routing', { rules, fallback: ['rest'] })).status).toBeLessThan(
      300,
    );
    const chosen = await put(admin, 'handbook', { text: handbook, ...base });
    expect(chosen).toMatchObject({ spaces: ['support'], routed: { because: 'rule', rules: [0] } });
    expect((await sections(admin, chosen.id))[0]).toMatchObject({ spaces: ['support'] });
    const other = await put(admin, 'other', { text: '# Bread\n\nIt rises for an hour.', ...base });
    expect(other).toMatchObject({ spaces: ['rest'], routed: { because: 'fallback' } });
    const named = await put(admin, 'named', { text: handbook, ...base, spaces: ['mine'] });
    expect(named.spaces).toEqual(['mine']);
    expect(named).not.toHaveProperty('routed');
  });

  it('[H7] leave out what a space refuses, and nothing else', async () => {
    const { admin } = await people();
    await admin.put('/v1/spaces/strict', { pii: { card: 'refuse' } });
    const text = '# Notes\n\nLunch is at noon.\n\nThe card 4111 1111 1111 1111 pays.\n';
    const document = await put(admin, 'notes', { text, ...base, spaces: ['strict'] });
    expect(document.skipped).toMatchObject([{ reason: 'refused', count: 1 }]);
    const [only] = await sections(admin, document.id);
    expect(only!.content).toContain('Lunch is at noon.');
    expect(only!.content).not.toContain('4111');
  });
});

it('[H3] hidden sheets are read, and their sections say that they are hidden', async () => {
  const { admin } = await people();
  const sheet = (cell: string) =>
    `<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>${cell}</t></is></c></row></sheetData></worksheet>`;
  const states = ['visible', 'hidden', 'veryHidden'];
  const file = smallPackage({
    '_rels/.rels': packageRelationships('xl/workbook.xml'),
    'xl/workbook.xml': `<workbook xmlns:r="r"><sheets>${states.map((state, n) => `<sheet name="Sheet ${n}" state="${state}" r:id="rId${n}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships(
      states.map((_, n) => ({ id: `rId${n}`, type: 'worksheet', target: `worksheets/${n}.xml` })),
    ),
    ...Object.fromEntries(
      states.map((state, n) => [`xl/worksheets/${n}.xml`, sheet(`Prices are ${state}.`)]),
    ),
  });
  const base64 = Buffer.from(file).toString('base64');
  const document = await put(admin, 'prices', { base64, filename: 'prices.xlsx', layer: 'company' });
  expect(document.pages).toEqual({ total: 3, stored: 3, empty: [], withoutText: [], hidden: [2, 3] });
  const memories = await sections(admin, document.id);
  expect(memories.map(({ source }) => [source.path, source.hidden])).toEqual([
    [['Sheet 0'], undefined],
    [['Sheet 1'], true],
    [['Sheet 2'], true],
  ]);
  const { body } = await admin.post('/v1/search', { query: 'veryHidden prices', threshold: 0, topK: 1 });
  expect(body.results[0].memory.source).toMatchObject({ path: ['Sheet 2'], page: 3, hidden: true });
});

describe('a mail', () => {
  const mail = [
    'From: Ada <ada@harbour.example>',
    'To: Bob <bob@harbour.example>',
    'Subject: The tariff',
    'Date: Mon, 04 May 2026 09:30:00 +0000',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=part',
    '',
    '--part',
    'Content-Type: text/plain; charset=utf-8',
    '',
    'The tariff for the coming season is attached.',
    '--part',
    'Content-Type: text/markdown; charset=utf-8; name=tariff.md',
    'Content-Disposition: attachment; filename=tariff.md',
    '',
    '# Tariff',
    '',
    'A night costs fourteen euros.',
    '--part--',
    '',
  ].join('\r\n');

  it('[H3] has its attachments as documents, which go and come with it', async () => {
    const { ada } = await people();
    const base64 = Buffer.from(mail).toString('base64');
    const sent = await put(ada, 'mail-1', { base64, filename: 'tariff.eml' });
    expect(sent).toMatchObject({ title: 'The tariff', state: 'ready' });
    const attached = async (): Promise<Json[]> =>
      (await ada.get(`/v1/documents?parent=${sent.id}`)).body.items;
    expect(await attached()).toMatchObject([{ title: 'Tariff', filename: 'tariff.md', parent: sent.id }]);
    const [{ id }] = (await attached()) as [Json];
    await expect.poll(async () => (await sections(ada, id)).length, { timeout: 30_000 }).toBe(1);
    expect((await ada.delete(`/v1/documents/${sent.id}`)).status).toBe(200);
    expect((await ada.get(`/v1/documents/${id}`)).body.document.state).toBe('deleted');
    expect((await ada.post(`/v1/documents/${sent.id}/restore`)).status).toBe(200);
    await expect.poll(attached, { timeout: 30_000 }).toMatchObject([{ id }]);
  });
});

describe('a request for a document', () => {
  it('[H3] takes a multipart body', async () => {
    const { admin: ada } = await people();
    const form = new FormData();
    form.set('layer', 'company');
    form.set('tags', JSON.stringify(['form']));
    form.append('spaces', 'wiki');
    form.append('spaces', 'help');
    form.set('metadata', '{"owner":"ada"}');
    form.set('file', new Blob([handbook], { type: 'text/markdown' }), 'handbook.md');
    const reply = await fetch(`${shared.url}/v1/documents?waitMs=30000`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ada.key}` },
      body: form,
    });
    expect(reply.status).toBe(202);
    const { document } = (await reply.json()) as Json;
    expect(document).toMatchObject({
      filename: 'handbook.md',
      tags: ['form'],
      spaces: ['wiki', 'help'],
      metadata: { owner: 'ada' },
      memories: 4,
    });
  });

  it('[I4] ends at the deadline that its caller sets, without a document', async () => {
    const { admin: ada } = await people();
    const paragraphs = Array.from(
      { length: 20_000 },
      (_, n) => `<p>The rope number ${n} is kept in the shed.</p>`,
    );
    const text = `<html><body>${paragraphs.join('')}</body></html>`;
    const file = { ...base, text, filename: 'ropes.html' };
    const hasty = await ada.put('/v1/documents/external/ropes', file, { 'x-request-timeout': '0.2' });
    expect(hasty.body).toMatchObject({ status: 504, code: 'deadline-exceeded' });
    expect((await ada.get('/v1/documents')).body.items).toEqual([]);
    const patient = await ada.put('/v1/documents/external/ropes', file);
    expect(patient.status).toBe(202);
  });

  it('[A12] repeated under its key is answered with the first document', async () => {
    const { ada } = await people();
    const headers = { 'idempotency-key': 'one' };
    const send = () => ada.post('/v1/documents', { text: handbook }, headers);
    const [first, second] = [await send(), await send()];
    expect(second.body.document.id).toBe(first.body.document.id);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
  });

  it.each([
    ['without a file', {}, 400, 'text'],
    ['with two', { text: 'a', base64: 'YQ==' }, 400, 'text'],
    ['that is no base64', { base64: '%%%' }, 400, 'base64'],
    ['of an unknown field', { text: 'a', colour: 'red' }, 400, 'colour'],
    ['of a layer without its identifier', { text: 'a', layer: 'team' }, 400, 'scope.team'],
  ])('[H3] %s is refused', async (_, body, status, path_) => {
    const { ada } = await people();
    const reply = await ada.post('/v1/documents', body);
    expect(reply.body).toMatchObject({ status, errors: [{ path: path_ }] });
  });

  it('[H3] for a name that is taken is refused, and tells the document', async () => {
    const { ada } = await people();
    const { id } = await put(ada, 'handbook', { text: handbook });
    const reply = await ada.post('/v1/documents', { text: handbook, externalId: 'handbook' });
    expect(reply.body).toMatchObject({ status: 409, code: 'external-id-taken', documentId: id });
  });
});

it('[J8] the calls of the guide are accepted', async () => {
  const guide = await readFile(path.resolve('docs/guides/documents.md'), 'utf8');
  const { admin } = await people();
  const calls = [...guide.matchAll(/```http\n(POST|PUT|GET|DELETE) (\S+)\n(?:\n([^`]*))?```/g)];
  expect(calls.length).toBeGreaterThan(3);
  let last = '';
  for (const [, method, address, body] of calls) {
    const target = address!.replace('{id}', last);
    const sent = body ? (JSON.parse(body) as object) : undefined;
    const verb = method!.toLowerCase() as 'post' | 'put' | 'get' | 'delete';
    const reply =
      verb === 'get' || verb === 'delete' ? await admin[verb](target) : await admin[verb](target, sent);
    expect([target, reply.status < 300]).toEqual([target, true]);
    last = reply.body.document?.id ?? last;
  }
});
