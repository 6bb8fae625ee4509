import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Json } from '../support/api.ts';
import { shellAs } from '../support/cli.ts';
import { newAdmin } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer();

/** The shell lines of the README that name a program, run as they stand there. */
async function readmeLines(program: string): Promise<string> {
  const text = await readFile('examples/import/README.md', 'utf8');
  const block = [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, code]) => code!);
  return block.find((code) => code.includes(program))!.replaceAll('npx stratalog', 'stratalog');
}

const shown = ({ content, layer, scope, tags, metadata, occurredAt }: Json) => ({
  content,
  layer,
  scope,
  tags,
  metadata,
  occurredAt,
});

describe('examples/import', () => {
  it('[J3] imports a ChatGPT export by its README lines: what was said, in order, once', async () => {
    const client = await newAdmin(server);
    const lines = (await readmeLines('chatgpt.mjs')).trim().split('\n');
    const first = await shellAs(server, client, lines[0]!);
    expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^2 stored/) });
    const again = await shellAs(server, client, `${lines[0]} --json`);
    expect(again.json).toMatchObject({ stored: 0, refused: 0 });
    const { items } = (await client.get(`/v1/memories?order=oldest&minPosition=${again.json.position}`)).body;
    const session = '5f0c1d6e-0000-4000-8000-000000000001';
    const place = { layer: 'session', scope: { company: expect.any(String), user: 'ada', session } };
    expect(items.map(shown)).toEqual([
      {
        ...place,
        content: 'I fly to Lisbon on the third of May. I cannot stand aisle seats.',
        tags: ['chatgpt'],
        metadata: { role: 'user', title: 'Trip to Lisbon' },
        occurredAt: '2026-01-01T10:00:00.250Z',
      },
      {
        ...place,
        content: 'Then ask for a window seat at check-in.',
        tags: ['chatgpt'],
        metadata: { role: 'assistant', title: 'Trip to Lisbon' },
        occurredAt: '2026-01-01T10:00:30.000Z',
      },
    ]);
    const found = await shellAs(server, client, lines[1]!);
    expect(found.stdout).toMatch(/aisle seats|window seat/);
  });

  it('[J3] imports memories of mem0 to where its own API would have put them', async () => {
    const client = await newAdmin(server);
    const { code, json } = await shellAs(server, client, `${(await readmeLines('mem0.mjs')).trim()} --json`);
    expect({ code, json }).toMatchObject({ code: 0, json: { stored: 2, refused: 0 } });
    const { items } = (await client.get(`/v1/memories?order=oldest&minPosition=${json.position}`)).body;
    expect(items.map(shown)).toMatchObject([
      {
        content: 'Is allergic to hazelnuts',
        layer: 'user',
        scope: { user: 'alice', session: 'lunch-42' },
        tags: ['health'],
        metadata: { source: 'onboarding' },
        occurredAt: '2026-01-05T17:29:36.630Z',
      },
      { content: 'Answers in short sentences', layer: 'agent', scope: { user: 'alice', agent: 'cook' } },
    ]);
  });

  it.each([
    ['chatgpt.mjs', 'examples/import/samples/mem0-memories.json', /expected a list of conversations/],
    ['mem0.mjs', 'examples/import/samples/conversations.json', /memory 1 has no id/],
    ['mem0.mjs', 'README.md', /neither JSON/],
    ['mem0.mjs', 'missing.json', /no such file/],
  ])('[J3] %s refuses %s', async (program, file, message) => {
    const run = promisify(execFile)(process.execPath, [`examples/import/${program}`, file]);
    await expect(run).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(message),
    });
  });
});
