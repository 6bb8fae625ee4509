import { execFileSync } from 'node:child_process';
import { mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import {
  expectClear,
  shellAs,
  stratalogAs,
  stratalogEndedBy,
  threeMemories as memories,
} from '../support/cli.ts';
import { newAdmin, newTenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'stratalog-cli-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const script = (client: Client, text: string) => shellAs(server, client, text);

const as = (client: Pick<Client, 'key'>, ...args: string[]) => stratalogAs(server, client, ...args);

async function file(name: string, lines: readonly unknown[]): Promise<string> {
  const target = path.join(folder, name);
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  await writeFile(target, `${text.join('\n')}\n`);
  return target;
}

/** The memories of an export without their ids, which an import gives anew. */
const memoryLines = ({ lines }: { readonly lines: readonly Json[] }): Json[] =>
  lines.filter(({ content }) => content !== undefined).map(({ id: _, ...memory }) => memory);

describe('import and export', () => {
  it('[J4] imports a file, prints counts, and skips what is already stored when run again', async () => {
    const client = await newAdmin(server);
    const input = await file('memories.ndjson', memories);
    const first = await as(client, 'import', input);
    expect(first).toMatchObject({ code: 0, stdout: '3 stored, 0 there already, 0 refused\n' });
    const again = await as(client, 'import', input, '--json');
    expect(again.json).toMatchObject({ stored: 0, present: 3, refused: 0 });
    const grown = await file('memories.ndjson', [...memories, { externalId: 'm4', content: 'A fourth' }]);
    const { json } = await as(client, 'import', grown, '--json', '--name', 'grown');
    expect(json).toMatchObject({ stored: 1, present: 0, refused: 3 });
    const { body } = await client.get(`/v1/memories?minPosition=${json.position}&waitMs=30000`);
    expect(body.items).toHaveLength(4);
  });

  it('[J4] continues a broken import under the same name', async () => {
    const client = await newAdmin(server);
    const cut = await file('cut.ndjson', memories.slice(0, 2));
    const whole = await file('whole.ndjson', memories);
    expect((await as(client, 'import', cut, '--name', 'night', '--json')).json).toMatchObject({ stored: 2 });
    const { code, json } = await as(client, 'import', whole, '--name', 'night', '--json');
    expect(code).toBe(0);
    expect(json).toMatchObject({ stored: 1, present: 2, refused: 0 });
  });

  it.each([
    ['standard input', (input: string) => `cat '${input}' | stratalog import /dev/stdin`],
    ['a process substitution', (input: string) => `stratalog import <(cat '${input}')`],
  ])('[J4] imports %s completely, and recognises it as the same source when run again', async (_, call) => {
    const client = await newAdmin(server);
    const input = await file('piped.ndjson', memories);
    const first = await script(client, call(input));
    expect(first).toMatchObject({ code: 0, stdout: '3 stored, 0 there already, 0 refused\n' });
    const again = { code: 0, stdout: '0 stored, 3 there already, 0 refused\n' };
    expect(await script(client, call(input))).toMatchObject(again);
    expect(await as(client, 'import', input)).toMatchObject(again);
  });

  it('[J4] imports a pipe under a name', async () => {
    const client = await newAdmin(server);
    const input = await file('piped.ndjson', memories);
    const { code, json } = await script(
      client,
      `cat '${input}' | stratalog import /dev/stdin --name a --json`,
    );
    expect({ code, json }).toMatchObject({ code: 0, json: { stored: 3, refused: 0 } });
  });

  it.each<[NodeJS.Signals]>([['SIGINT'], ['SIGTERM']])(
    '[J4] leaves no copy of a pipe behind when %s ends it',
    async (signal) => {
      const pipe = path.join(folder, signal);
      execFileSync('mkfifo', [pipe]);
      const writer = await open(pipe, 'r+');
      try {
        await writer.write('{"content":"not yet all"}\n');
        const args = ['import', pipe, '--url', server.url];
        expect(await stratalogEndedBy(signal, args, 'copy.ndjson')).toEqual({ ended: signal, left: [] });
      } finally {
        await writer.close();
      }
    },
  );

  it.each(['日本', 'two words', '', 'x'.repeat(249)])(
    '[J8] rejects the name "%s" with a clear message',
    async (name) => {
      const input = await file('named.ndjson', memories);
      expectClear(
        await as(await newAdmin(server), 'import', input, '--name', name),
        2,
        '--name',
        /248 visible ASCII/,
      );
    },
  );

  it('[J4] reports which lines were rejected and why, stores the rest, and exits with 1', async () => {
    const client = await newAdmin(server);
    const input = await file('mixed.ndjson', [memories[0], '{broken', '', { content: '' }, memories[2]]);
    const result = await as(client, 'import', input);
    expectClear(result, 1, /line 2: malformed-json/, /line 4: validation-failed: content/);
    expect(result.stdout).toBe('2 stored, 0 there already, 2 refused\n');
  });

  it('[J4] reports rejected lines with --json too, by line and problem', async () => {
    const client = await newAdmin(server);
    const input = await file('mixed.ndjson', [memories[0], '{broken', '', { ...memories[1], content: '' }]);
    const { code, json, stderr } = await as(client, 'import', input, '--json');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(json).toMatchObject({
      stored: 1,
      present: 0,
      refused: 2,
      refusals: [
        { line: 2, status: 400, problem: { code: 'malformed-json' } },
        { line: 4, status: 400, problem: { code: 'validation-failed', errors: [{ path: 'content' }] } },
      ],
    });
    const whole = await file('whole.ndjson', memories.slice(0, 1));
    expect((await as(client, 'import', whole, '--json', '--name', 'whole')).json).toMatchObject({
      refused: 1,
      refusals: [{ line: 1, externalId: 'm1', problem: { code: 'external-id-taken' } }],
    });
  });

  it('[J4] imports with --upsert: stores, updates and leaves, whatever was imported before', async () => {
    const client = await newAdmin(server);
    const input = await file('upsert.ndjson', memories);
    expect(await as(client, 'import', input)).toMatchObject({ code: 0 });
    const changed = memories.map((memory, n) => (n === 0 ? { ...memory, content: 'changed' } : memory));
    const grown = [...changed, { externalId: 'm4', content: 'A fourth' }, '{ }', { content: 'nameless' }];
    const mixed = await file('upsert-mixed.ndjson', grown);
    const first = await as(client, 'import', '--upsert', mixed);
    expectClear(first, 1, /line 5: validation-failed: content/, /line 6: validation-failed: externalId/);
    expect(first.stdout).toBe('1 stored, 1 updated, 2 there already, 2 refused\n');
    const again = await as(client, 'import', '--upsert', '--json', await file('upsert.ndjson', changed));
    expect(again.json).toMatchObject({ stored: 0, updated: 0, present: 3, refused: 0 });
    // Imports the first version of the file again. An upsert is not skipped as a repetition.
    const back = await as(client, 'import', '--upsert', '--json', await file('upsert.ndjson', memories));
    expect(back.json).toMatchObject({ stored: 0, updated: 1, present: 2, refused: 0 });
    const { body } = await client.get(`/v1/memories?minPosition=${back.json.position}&waitMs=30000`);
    const contents = body.items.map(({ content }: Json) => content).sort();
    expect(contents).toEqual([...memories.map(({ content }) => content), 'A fourth'].sort());
    expectClear(await as(client, 'import', '--upsert', '--name', 'x', input), 2, '--name', '--upsert');
  });

  it('[J4] imports memories exported from another company into the tenant of the key, and says so', async () => {
    const client = await newAdmin(server);
    const own = client.key!.slice('sl_'.length).split('.')[0]!;
    const placed = (company: string, memory: object, more: object = {}) => ({
      ...memory,
      scope: { company, ...more },
    });
    const input = await file('with-company.ndjson', [
      placed('elsewhere', { content: 'Kept “verbatim”: "company"', metadata: { company: 'a b' } }),
      '  {"content": "spaced" , "scope": {"company":"elsewhere", "user":"ada"}}  ',
      placed(own, { content: 'of this very tenant', layer: 'company' }),
      placed('third', { content: 'of a team', layer: 'team' }, { team: 't' }),
      { content: 'without a company', scope: { user: 'ada' } },
      '{"scope": {"company": "broken"',
      { content: 'x', scope: { company: 7 } },
      { content: 'no scope at all: company', metadata: { scope: { company: 'inner' } } },
    ]);
    const result = await as(client, 'import', input);
    expectClear(result, 1, /line 6: malformed-json/, /line 7: validation-failed: scope.company/);
    expect(result.stderr).toContain(`left out of 4 lines: elsewhere, ${own}, third`);
    expect(result.stdout).toBe('6 stored, 0 there already, 2 refused\n');
    const { json } = await as(client, 'import', input, '--json');
    expect(json).toMatchObject({
      stored: 0,
      present: 6,
      refused: 2,
      leftOut: { lines: 4, companies: ['elsewhere', own, 'third'] },
    });
    const list = await client.get(`/v1/memories?minPosition=${json.position}&waitMs=30000`);
    expect(list.body.items).toHaveLength(6);
    for (const { scope } of list.body.items) expect(scope.company).toBe(own);
    const contents = list.body.items.map((memory: Json) => memory.content);
    expect(contents).toContain('Kept “verbatim”: "company"');
    const inner = list.body.items.find((memory: Json) => memory.metadata.scope);
    expect(inner.metadata.scope).toEqual({ company: 'inner' });
  });

  it('[J4] exports what it imported: importing the export into another tenant gives the same export', async () => {
    const [client, other] = [await newAdmin(server), await newAdmin(server)];
    const input = await file('roundtrip.ndjson', memories);
    const { json } = await as(client, 'import', input, '--json');
    await client.get(`/v1/memories?minPosition=${json.position}&waitMs=30000`);
    const output = path.join(folder, 'exported.ndjson');
    expect(await as(client, 'export', output)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: `3 memories written to ${output}\n`,
    });
    const exported = await as(client, 'export');
    const afterHeader = (text: string) => text.slice(text.indexOf('\n'));
    expect(afterHeader(await readFile(output, 'utf8'))).toBe(afterHeader(exported.stdout));
    expect(exported.lines[0]).toMatchObject({ stratalog: 'export', format: 1, position: expect.any(String) });
    const byName = Object.fromEntries(memoryLines(exported).map((memory) => [memory.externalId, memory]));
    for (const memory of memories) expect(byName[memory.externalId]).toMatchObject(memory);

    const imported = await as(other, 'import', output, '--json');
    expect(imported).toMatchObject({ code: 0, json: { stored: 3, refused: 0 } });
    await other.get(`/v1/memories?minPosition=${imported.json.position}&waitMs=30000`);
    const again = memoryLines(await as(other, 'export'));
    const sorted = (list: readonly Json[]) =>
      [...list].sort((left, right) => (left.externalId < right.externalId ? -1 : 1));
    expect(sorted(again)).toEqual(sorted(memoryLines(exported)));
    expect((await as(client, 'export', '--full')).lines[0].scope.company).toBeTruthy();
  });

  it('[F8] carries links, feedback and traces over to the new ids, once, and says what it holds', async () => {
    const [client, other] = [await newAdmin(server), await newAdmin(server)];
    const [first, second, third] = [
      (await client.store({ content: 'The lake is closed in winter.', externalId: 'lake' })).memory.id,
      (await client.store({ content: 'The ferry stops there in May.', externalId: 'ferry' })).memory.id,
      (await client.store({ content: 'Nobody needs this one.', externalId: 'gone' })).memory.id,
    ];
    for (const [type, target] of [
      ['related', second],
      ['causes', second],
      ['supports', third],
    ])
      await client.put(`/v1/memories/${first}/links/${type}/${target}`, { confidence: 0.5 });
    await client.delete(`/v1/memories/${first}/links/causes/${second}`);
    await client.delete(`/v1/memories/${third}?mode=erase`);
    await client.post(`/v1/memories/${second}/feedback`, { kind: 'outdated', note: 'It stops in June.' });
    const attempt = { query: 'When does the ferry stop?', approach: 'read both', outcome: 'success' };
    const trace = { ...attempt, memoriesUsed: [first, second] };
    const { position } = (await client.post('/v1/reasoning/traces', trace)).body;
    await client.get(`/v1/audit/events?minPosition=${position}&waitMs=30000`);

    const output = path.join(folder, 'whole.ndjson');
    const written = await as(client, 'export', output, '--history', '--json');
    expect(written.json).toMatchObject({ memories: 2, links: 1, feedback: 1, traces: 1, history: 2 });
    expect(await readFile(output, 'utf8')).not.toContain('Nobody needs');
    const expected = { links: 1, feedback: 1, traces: 1, leftOut: 2, refused: 0 };
    for (const stored of [2, 0]) {
      const { code, json } = await as(other, 'import', output, '--json');
      expect({ code, json }).toMatchObject({ code: 0, json: { stored, records: expected } });
    }
    const again = path.join(folder, 'whole-again.ndjson');
    const { json } = await as(other, 'export', again, '--json');
    expect(json).toMatchObject({ memories: 2, links: 1, feedback: 1, traces: 1 });
    const lines = (await readFile(again, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Json);
    const idOf = (name: string) => lines.find(({ externalId }) => externalId === name).id;
    const records = Object.fromEntries(lines.map((line) => [line.record, line]));
    expect(records['link']).toMatchObject({
      source: idOf('lake'),
      target: idOf('ferry'),
      type: 'related',
      confidence: 0.5,
    });
    expect(records['feedback']).toMatchObject({
      memory: idOf('ferry'),
      kind: 'outdated',
      note: 'It stops in June.',
    });
    expect(records['trace'].trace).toMatchObject({ ...attempt, memoriesUsed: [idOf('lake'), idOf('ferry')] });
  });

  it('[F8] writes a corpus for training of those who consented, without what was erased', async () => {
    const client = await newAdmin(server);
    const content = 'The bakery on the corner opens at six.';
    const kept = (await client.store({ content })).memory.id;
    const erased = (await client.store({ content: 'The bakery on the corner is owned by Ada.' })).memory.id;
    const barred = { content: 'The bakery on the corner sells rye bread.', metadata: { training: false } };
    const { position } = await client.store(barred);
    const request = {
      query: 'When does the bakery on the corner open?',
      threshold: 0,
      minPosition: position,
    };
    const { searchId } = (await client.post('/v1/search', { ...request, waitMs: 30_000 })).body;
    await client.post(`/v1/searches/${searchId}/outcome`, { used: [kept] });
    await client.delete(`/v1/memories/${erased}?mode=erase`);
    const searches = async () => (await client.get('/v1/audit/events?type=SearchPerformed')).body.items;
    await vi.waitUntil(async () => (await searches()).length > 0, { timeout: 30_000 });
    const { actor } = (await searches())[0];
    const output = path.join(folder, 'training.ndjson');
    const corpus = async (consent: string) => {
      const { code, json } = await as(client, 'export', '--training', output, '--consent', consent, '--json');
      expect({ code, json }).toMatchObject({ code: 0, json: { searches: consent === actor ? 1 : 0 } });
      return readFile(output, 'utf8');
    };
    expect(JSON.parse(await corpus(actor))).toMatchObject({
      searchId,
      query: request.query,
      results: [{ id: kept, content, used: true }],
      used: [kept],
      outcome: 'used',
      reward: 1,
      route: 'standard',
    });
    expect(await corpus('user:somebody-else')).toBe('');
    expectClear(await as(client, 'export', '--training', output), 2, /--consent/);
  });

  it('[F8] exports memories and links for a person, and says what only the audit has', async () => {
    const member = await (await newTenant(server)).key({ user: 'mia' });
    const first = (await member.store({ content: 'The ferry leaves at nine.' })).memory.id;
    const { memory, position } = await member.store({ content: 'The ferry is painted blue.' });
    await member.put(`/v1/memories/${first}/links/related/${memory.id}`, {});
    await member.get(`/v1/memories?minPosition=${position}&waitMs=30000`);
    const { code, lines, stderr } = await as(member, 'export');
    expect(code).toBe(0);
    expect(stderr).toMatch(/Left out: feedback and traces: only the audit has them/);
    expect(lines[0].holds).toEqual(['memories', 'links', 'summaries']);
    const link = lines.find(({ record }) => record === 'link');
    expect(link).toMatchObject({ source: first, target: memory.id });
    expectClear(await as(member, 'export', '--include', 'traces'), 1, /may not read traces/);
  });

  it('[F8] refuses the file of a later format, and kinds that it does not know', async () => {
    const client = await newAdmin(server);
    const later = await file('later.ndjson', [{ stratalog: 'export', format: 9, holds: [] }, memories[0]]);
    expectClear(await as(client, 'import', later), 1, /format 9/);
    expectClear(await as(client, 'export', '--include', 'links,likes'), 2, /likes/);
    const { lines } = await as(client, 'export', '--include', 'none');
    expect(lines).toMatchObject([{ holds: ['memories'] }]);
  });

  it('[J4] exports when a memory was stored, and an import keeps it', async () => {
    const [client, other] = [await newAdmin(server), await newAdmin(server)];
    const { memory } = await client.store({
      content: 'The backup job of the wiki runs at 03:15 on weekdays.',
    });
    const occurredAt = '2026-01-05T09:00:00.000Z';
    const { position } = await client.store({ content: 'The wiki moved to the new server.', occurredAt });
    await client.get(`/v1/memories?minPosition=${position}&waitMs=30000`);
    const output = path.join(folder, 'times.ndjson');
    await as(client, 'export', output);
    const { json } = await as(other, 'import', output, '--json');
    const { items } = (await other.get(`/v1/memories?minPosition=${json.position}&waitMs=30000`)).body;
    const times = Object.fromEntries(items.map((one: Json) => [one.content, one.occurredAt]));
    expect(times).toEqual({
      [memory.content]: memory.createdAt,
      'The wiki moved to the new server.': occurredAt,
    });
  });

  it('[J4] leaves an earlier export unchanged when a new one fails, and makes it readable by its owner only', async () => {
    const client = await newAdmin(server);
    await as(client, 'import', await file('kept.ndjson', memories));
    const output = path.join(folder, 'kept-export.ndjson');
    expect((await as(client, 'export', output)).code).toBe(0);
    expect((await stat(output)).mode & 0o777).toBe(0o600);
    const before = await readFile(output, 'utf8');
    expectClear(await as({ key: 'wrong' }, 'export', output), 1, /401/);
    expect(await readFile(output, 'utf8')).toBe(before);
    expect((await readdir(folder)).filter((name) => name.startsWith('kept-export'))).toEqual([
      'kept-export.ndjson',
    ]);
  });

  it('[J4] exports oldest first, so that the turns of a session keep their order and are found the same way', async () => {
    const [client, other] = [await newAdmin(server), await newAdmin(server)];
    const turn = (content: string) => ({ content, layer: 'session', scope: { user: 'ada', session: 's1' } });
    const texts = [
      'How was the pottery workshop in the old mill?',
      'Wonderful, I made two bowls.',
      'What was for lunch there?',
      'Soup, and bread from the oven.',
    ];
    const found = async (by: Client, minPosition: string) => {
      const query = 'What was made in the pottery workshop?';
      const request = { query, threshold: 0, order: 'relevance', minPosition, waitMs: 30_000 };
      const { body } = await by.post('/v1/search', request);
      return body.results.map(({ memory, score }: Json) => [memory.content, score]);
    };
    const before = await found(client, (await client.bulk(texts.map(turn))).at(-1)!.position);
    expect(before).toHaveLength(texts.length);
    const output = path.join(folder, 'session.ndjson');
    await as(client, 'export', output);
    const { json } = await as(other, 'import', output, '--json');
    expect(await found(other, json.position)).toEqual(before);
    const contents = memoryLines(await as(other, 'export')).map(({ content }) => content);
    expect(contents).toEqual(texts);
  });

  it('[J4] exports ids, revisions and counters with --full, and more than one page', async () => {
    const client = await newAdmin(server);
    const many = Array.from({ length: 1_050 }, (_, number) => ({ content: `Row ${number}` }));
    const lines = await client.bulk(many);
    await client.get(`/v1/memories?minPosition=${lines.at(-1)!.position}&waitMs=30000`);
    const { lines: exported } = await as(client, 'export', '--full');
    expect(new Set(exported.map(({ id }) => id))).toEqual(new Set(lines.map(({ id }) => id)));
    expect(exported[0]).toMatchObject({ revision: 0, state: 'active', accessCount: 0 });
  });

  it.each(['export | head -1', 'audit events | head -c 5', 'export --full | true'])(
    '[J8] exits quietly when the reader closes the pipe: %s',
    async (call) => {
      const client = await newAdmin(server);
      const long = Array.from({ length: 300 }, (_, i) => ({ content: `${i} ${'word '.repeat(200)}` }));
      const lines = await client.bulk(long);
      await client.get(`/v1/memories?minPosition=${lines.at(-1)!.position}&waitMs=30000`);
      expect(await script(client, `stratalog ${call}`)).toMatchObject({ code: 0, stderr: '' });
    },
  );

  it
    .runIf(process.platform === 'linux')
    .each([
      'export',
      'export --full',
      'keys list',
      'search anything --json',
      'projections status',
      'audit events',
      'doctor',
      '--help',
    ])('[J8] reports a full disk when it writes its output: %s', async (call) => {
    const client = await newAdmin(server);
    const { position } = await client.store({ content: 'one' });
    await client.get(`/v1/audit/events?minPosition=${position}&waitMs=30000`);
    await client.get(`/v1/memories?minPosition=${position}&waitMs=30000`);
    expect(await script(client, `stratalog ${call} > /dev/full`)).toMatchObject({
      code: 1,
      stderr: 'The disk is full. Free some space; nothing that was acknowledged is lost.\n',
    });
  });

  it('[J8] reports a file that cannot be written or read, in one line', async () => {
    const client = await newAdmin(server);
    const missing = path.join(folder, 'none', 'x.ndjson');
    for (const [args, words] of [
      [['export', missing], `No such file: ${missing}`],
      [['export', folder], `This is a folder, not a file: ${folder}`],
      [['import', folder], `This is a folder, not a file: ${folder}`],
      [['import', folder, '--name', 'a'], `This is a folder, not a file: ${folder}`],
    ] as const) {
      const result = await as(client, ...args);
      expect(result).toMatchObject({ code: 1, stdout: '', stderr: `${words}\n` });
    }
  });

  it('[J8] reports a missing file', async () => {
    expectClear(
      await as(await newAdmin(server), 'import', path.join(folder, 'none.ndjson')),
      1,
      /No such file: .*none/,
    );
  });
});
