import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { expectClear, shellAs, stratalogAs } from '../support/cli.ts';
import { newAdmin } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'stratalog-cli-memories-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const as = (client: Pick<Client, 'key'>, ...args: string[]) => stratalogAs(server, client, ...args);
const script = (client: Client, text: string) => shellAs(server, client, text);

const memoryOf = async (client: Client, id: string): Promise<Json> =>
  (await client.get(`/v1/memories/${id}`)).body;

describe('memories on the command line', () => {
  it('[J4] stores, gets, lists, updates, shows the history and deletes a memory', async () => {
    const client = await newAdmin(server);
    const stored = await as(
      client,
      ...['store', '--tag', 'release', 'Releases are cut on Tuesday', '--layer', 'team', '--team', 'core'],
      ...['--metadata', '{"owner":"ada"}', '--external-id', 'handbook/releases', '--reason', 'für später'],
    );
    expect(stored).toMatchObject({ code: 0, stderr: '' });
    const id = /^(\S+) is stored\n$/.exec(stored.stdout)![1]!;
    expect(await memoryOf(client, id)).toMatchObject({
      content: 'Releases are cut on Tuesday',
      layer: 'team',
      scope: { team: 'core' },
      tags: ['release'],
      metadata: { owner: 'ada' },
      externalId: 'handbook/releases',
    });
    expect((await as(client, 'get', id)).stdout).toMatch(/team core[^]*Releases are cut on Tuesday\n$/);

    const changed = await as(
      client,
      ...['update', id, 'Releases are cut on Wednesday', '--tag', 'a', 'b', '--if-match', '0', '--json'],
    );
    expect(changed.json.memory).toMatchObject({ revision: 1, tags: ['a', 'b'], metadata: { owner: 'ada' } });
    expectClear(await as(client, 'update', id, 'lost', '--if-match', '0'), 1, /412 revision-mismatch/);
    expect((await as(client, 'get', id, '--as-of', changed.json.position)).stdout).toContain('Wednesday');
    const history = await as(client, 'history', id);
    expect(history.stdout).toMatch(/MemoryStored .*für später[^]*MemoryUpdated/);
    expect((await as(client, 'history', id, '--json')).json).toHaveLength(2);

    await client.get(`/v1/memories?minPosition=${changed.json.position}&waitMs=30000`);
    const listed = await as(client, 'list', '--tag', 'a', '--layer', 'team');
    expect(listed.stdout).toMatch(new RegExp(`^${id}  team .*Wednesday.*handbook/releases\n$`));

    const deleted = await as(client, 'delete', id, '--reason', 'outdated');
    expect(deleted.stdout).toMatch(/is deleted and can be restored until 2/);
    const erased = await as(client, 'delete', id, '--erase', '--json');
    expect(erased.json.memory.state).toBe('erased');
    expectClear(await as(client, 'get', id), 1, /404 not-found/);
  });

  it('[J4] reads the content verbatim from a file, an argument or standard input', async () => {
    const client = await newAdmin(server);
    const file = path.join(folder, 'note.txt');
    await writeFile(file, 'First line\nsecond line\n');
    const contentOf = async ({ json }: { json: Json }) =>
      (await memoryOf(client, json.memory.id)).content as string;
    expect(await contentOf(await as(client, 'store', '--file', file, '--json'))).toBe(
      'First line\nsecond line\n',
    );
    for (const call of ['store --json', 'store - --json', 'store --file - --json'])
      expect(await contentOf(await script(client, `printf 'from a pipe' | stratalog ${call}`))).toBe(
        'from a pipe',
      );
    const { json } = await as(client, 'store', 'first', '--json');
    await script(client, `printf 'second' | stratalog update ${json.memory.id} -`);
    expect((await memoryOf(client, json.memory.id)).content).toBe('second');
    await as(client, 'update', json.memory.id, '--file', file);
    expect((await memoryOf(client, json.memory.id)).content).toBe('First line\nsecond line\n');
  });

  it('[J4] stores once with an idempotency key, and replaces with --upsert', async () => {
    const client = await newAdmin(server);
    const once = ['store', 'Bread is baked', '--idempotency-key', 'k1', '--json'];
    const [first, again] = [await as(client, ...once), await as(client, ...once)];
    expect(again.json.memory.id).toBe(first.json.memory.id);
    const upsert = (content: string) =>
      as(client, 'store', content, '--external-id', 'bread/1', '--upsert', '--json');
    const [stored, replaced] = [await upsert('Bread'), await upsert('Rolls')];
    expect(replaced.json.memory).toMatchObject({ id: stored.json.memory.id, content: 'Rolls', revision: 1 });
  });

  it('[J4] [A14] reports the conflicts of a memory with --on-conflict', async () => {
    const client = await newAdmin(server);
    const { memory, position } = await client.store({ content: 'The port is 8080' });
    await client.post('/v1/search', { query: 'port', minPosition: position });
    const { stdout } = await as(client, 'store', 'The port is 9090', '--on-conflict', 'report');
    expect(stdout).toMatch(new RegExp(`It contradicts ${memory.id} \\(confidence 0.80\\)\n {2}.*"8080"`));
  });

  it('[J4] lists page by page and as of a position', async () => {
    const client = await newAdmin(server);
    const lines = await client.bulk([{ content: 'one' }, { content: 'two' }, { content: 'three' }]);
    const position = lines.at(-1)!.position;
    await client.get(`/v1/memories?minPosition=${position}&waitMs=30000`);
    const { json } = await as(client, 'list', '--limit', '2', '--json');
    expect(json.items).toHaveLength(2);
    const rest = await as(client, 'list', '--limit', '2', '--cursor', json.nextCursor);
    expect(rest.stdout.split('\n')).toHaveLength(2);
    expect((await as(client, 'list', '--limit', '2')).stderr).toContain(`--cursor ${json.nextCursor}`);
    const names = (await as(client, 'list', '--order', 'oldest', '--as-of', position, '--json')).json.items;
    expect(names).toHaveLength(3);
    const filter = '{"content":{"contains":"thr"}}';
    expect((await as(client, 'list', '--filter', filter, '--json')).json.items).toHaveLength(1);
    expect(await as(client, 'list', '--state', 'deleted')).toMatchObject({
      code: 0,
      stderr: 'No memories.\n',
    });
  });

  it('[J4] shows figures and validates', async () => {
    const client = await newAdmin(server);
    const lines = await client.bulk([
      { content: 'The release is on Monday', layer: 'company' },
      { content: 'The release is on Tuesday', layer: 'company' },
    ]);
    const ids = lines.map(({ id }) => id as string);
    const { body } = await client.send('PUT', `/v1/memories/${ids[1]}/links/supersedes/${ids[0]}`, {
      body: { confidence: 0.9 },
    });
    await client.get(`/v1/stats?minPosition=${body.position}&waitMs=30000`);
    await client.post('/v1/memories/validate', { ids, minPosition: body.position, waitMs: 30_000 });
    expect((await as(client, 'stats')).stdout).toMatch(/company +2 +0/);
    expect((await as(client, 'stats', '--json')).json).toMatchObject({ total: { active: 2 } });
    const found = await as(client, 'validate', ...ids, 'unknown');
    expect(found).toMatchObject({ code: 0 });
    expect(found.stdout).toContain(`${ids[1]} supersedes ${ids[0]}`);
    expect(found.stdout).toContain('unknown is no active memory');
  });

  it('[J4] `projections list` is an alias of `projections status`', async () => {
    const client = await newAdmin(server);
    expect((await as(client, 'projections', 'list')).stdout).toContain('memories');
  });

  it.each([
    ['no id', ['get'], /missing required argument 'id'/],
    ['content from two places', ['store', 'x', '--file', 'y'], /not both/],
    ['empty standard input', ['store'], /400 validation-failed: content|content/],
    ['an unknown layer', ['store', 'x', '--layer', 'planet'], /layer/],
    ['metadata that is no object', ['store', 'x', '--metadata', '[]'], /--metadata.*JSON object/],
    ['an unknown mode for conflicts', ['store', 'x', '--on-conflict', 'merge'], /--on-conflict/],
    ['an upsert without an external id', ['store', 'x', '--upsert'], /--external-id/],
    ['nothing to change', ['update', 'x'], /nothing to change/],
    ['a revision that is none', ['update', 'x', 'y', '--if-match', 'three'], /--if-match/],
    ['a reason of two lines', ['delete', 'x', '--reason', 'a\nb'], /--reason/],
    ['an invalid state', ['list', '--state', 'gone'], /--state/],
    ['an invalid limit', ['list', '--limit', '1.5'], /--limit/],
    ['an invalid time', ['list', '--created-after', 'soon'], /createdAfter/],
  ])('[J8] rejects %s with status 2', async (_, args, words) => {
    expectClear(await as(await newAdmin(server), ...args), 2, words);
  });

  it('[J8] rejects a file that is missing or not UTF-8', async () => {
    const client = await newAdmin(server);
    const file = path.join(folder, 'latin1.txt');
    await writeFile(file, Buffer.from([0xe9, 0x20]));
    expectClear(await as(client, 'store', '--file', file), 2, /not UTF-8/);
    expectClear(await as(client, 'store', '--file', path.join(folder, 'none')), 1, /No such file/);
  });
});

describe('standard input and output', () => {
  it('[J4] `export -` and `import -` copy memories from one tenant to another', async () => {
    const [client, other] = [await newAdmin(server), await newAdmin(server)];
    await client.bulk([{ content: 'one', externalId: 'a' }, { content: 'two' }]);
    const piped = await script(
      client,
      `stratalog export - | STRATALOG_API_KEY='${other.key}' stratalog import - --json`,
    );
    expect(piped.code).toBe(0);
    expect(piped.json).toMatchObject({ stored: 2, refused: 0 });
    expect(piped.stderr).toBe('2 memories written to standard output\n');
  });

  it('[J4] `import -` resumes, and accepts a name or --upsert', async () => {
    const client = await newAdmin(server);
    const line = '{"content":"one","externalId":"a"}';
    const run = (options: string) => script(client, `echo '${line}' | stratalog import - --json ${options}`);
    expect((await run('')).json).toMatchObject({ stored: 1 });
    expect((await run('')).json).toMatchObject({ stored: 0, present: 1 });
    expect((await run('--upsert')).json).toMatchObject({ stored: 0, present: 1 });
    expect((await run('--name other')).json).toMatchObject({ refused: 1 });
  });

  it('[J4] an export contains everything that was acknowledged before', async () => {
    const client = await newAdmin(server);
    for (let round = 1; round <= 3; round++) {
      await client.bulk(Array.from({ length: 200 }, (_, n) => ({ content: `Row ${round} ${n}` })));
      const { lines, stderr } = await as(client, 'export');
      // The other lines are a header, and summaries that may have been made meanwhile.
      const memories = lines.filter(({ content }) => content !== undefined);
      expect(memories).toHaveLength(200 * round);
      expect(stderr).toContain(`${200 * round} memories`);
    }
  });
});
