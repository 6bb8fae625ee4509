import { describe, expect, it } from 'vitest';
import { readCsv } from '../../src/adapters/documents/csv.ts';
import { readJson } from '../../src/adapters/documents/json.ts';
import { readPlain } from '../../src/adapters/documents/plain.ts';

const fileOf = (text: string, filename: string) => ({ bytes: new TextEncoder().encode(text), filename });
const csv = (text: string, filename = 'a.csv') => readCsv(fileOf(text, filename));
const json = (value: unknown) => readJson(fileOf(JSON.stringify(value), 'a.json'));

describe('delimited values', () => {
  it('are a table, with quotes, line breaks within cells and rows that are too short', () => {
    expect(csv('name,remark\nAda,"said ""no"", \nthen left"\nBob\n').blocks).toEqual([
      {
        kind: 'table',
        header: ['name', 'remark'],
        rows: [
          ['Ada', 'said "no", \nthen left'],
          ['Bob', ''],
        ],
      },
    ]);
  });

  it('have the delimiter that makes their rows even', () => {
    const table = {
      kind: 'table',
      header: ['a', 'b'],
      rows: [
        ['1,5', '2'],
        ['3,5', '4'],
      ],
    };
    expect(csv('a;b\n1,5;2\n3,5;4\n').blocks).toEqual([table]);
    expect(csv('a\tb\n1,5\t2\n3,5\t4\n', 'a.tsv')).toMatchObject({
      mediaType: 'text/tab-separated-values',
      blocks: [table],
    });
    expect(csv('sep=;\na;b\n1,5;2\n3,5;4\n').blocks).toEqual([table]);
  });

  it('may have a title above the header, and no header', () => {
    expect(csv('Rota 2026,,\n\nday,crew,boat\n1,A,B\n2,C,D\n')).toMatchObject({
      title: 'Rota 2026',
      blocks: [{ kind: 'heading' }, { kind: 'table', header: ['day', 'crew', 'boat'] }],
    });
    expect(csv('1,2.5\n2,3.5\n3,4.5\n').blocks).toMatchObject([{ header: ['', ''], rows: { length: 3 } }]);
  });
});

describe('JSON', () => {
  it('of records with short values is a table, and with long ones a text for each', () => {
    expect(
      json([
        { id: 1, at: { lat: 2 }, tags: ['x', 'y'] },
        { id: 2, at: { lat: 3 } },
      ]),
    ).toMatchObject({
      contentType: 'table',
      blocks: [
        {
          kind: 'table',
          header: ['id', 'at.lat', 'tags'],
          rows: [
            ['1', '2', 'x, y'],
            ['2', '3', ''],
          ],
        },
      ],
    });
    const long = 'A long description. '.repeat(20).trim();
    expect(
      json([
        { name: 'A', text: long },
        { name: 'B', text: long },
      ]).blocks,
    ).toEqual([
      { kind: 'heading', level: 1, text: 'A' },
      { kind: 'text', text: `**name**: A\n\n**text**: ${long}` },
      { kind: 'heading', level: 1, text: 'B' },
      { kind: 'text', text: `**name**: B\n\n**text**: ${long}` },
    ]);
  });

  it('of other values is code by its keys', () => {
    expect(json({ name: 'app', port: 1, server: { host: 'x', list: [1, 2] } })).toMatchObject({
      title: 'app',
      contentType: 'code',
      blocks: [
        { kind: 'code', language: 'json', text: '{\n  "name": "app",\n  "port": 1\n}' },
        { kind: 'code', symbol: ['server'] },
      ],
    });
  });

  it('may stand line by line, with lines that are none', () => {
    expect(readJson(fileOf('{"a": 1}\n\n{"a": 2}\n', 'a.jsonl')).blocks).toMatchObject([
      { kind: 'table', header: ['a'], rows: [['1'], ['2']] },
    ]);
    expect(readJson(fileOf('{"a": 1}\n{"a": 2}\nbroken\n', 'a.jsonl')).blocks).toHaveLength(1);
  });
});

describe('a conversation', () => {
  it('is a list of messages, with names before roles and without instructions to a model', () => {
    const read = json({
      title: 'Studio',
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', name: 'ada', content: 'Where?', at: '2026-06-02T17:07:00Z' },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Here.' },
            { type: 'tool_use', name: 'x' },
          ],
        },
      ],
    });
    expect(read).toMatchObject({
      contentType: 'conversation',
      title: 'Studio',
      occurredAt: '2026-06-02T17:07:00.000Z',
    });
    expect(read.blocks).toEqual([
      { kind: 'turn', speaker: 'ada', text: 'Where?', at: '2026-06-02T17:07:00.000Z' },
      { kind: 'turn', speaker: 'assistant', text: 'Here.' },
    ]);
  });

  it('is what Slack, Discord and ChatGPT export', () => {
    const slack = json([
      {
        type: 'message',
        user: 'U1',
        user_profile: { display_name: 'Ada' },
        text: 'Hi <@U2|bob> &amp; all',
        ts: '1780419600.000100',
      },
      { type: 'message', user: 'U2', text: 'See <https://x.test>', ts: '1780419700.000100' },
    ]);
    expect(slack.blocks).toMatchObject([
      { speaker: 'Ada', text: 'Hi @bob & all', at: '2026-06-02T17:00:00.000Z' },
      { speaker: 'U2', text: 'See https://x.test' },
    ]);
    const discord = json({
      guild: {},
      messages: [
        { timestamp: '2026-06-02T17:00:00+02:00', content: 'Hi', author: { name: 'ada', nickname: 'Ada' } },
        { timestamp: '2026-06-02T17:01:00+02:00', content: 'Ho', author: { name: 'bob' } },
      ],
    });
    expect(discord.blocks).toMatchObject([
      { speaker: 'Ada', at: '2026-06-02T15:00:00.000Z' },
      { speaker: 'bob' },
    ]);
    const message = (role: string, text: string) => ({
      author: { role },
      create_time: 1_780_419_600,
      content: { content_type: 'text', parts: [text] },
    });
    const chatGpt = json([
      {
        title: 'Move',
        current_node: 'c',
        mapping: {
          a: { parent: null, children: ['b'], message: null },
          b: { parent: 'a', children: ['c', 'd'], message: message('user', 'Where?') },
          d: { parent: 'b', children: [], message: message('assistant', 'dropped') },
          c: { parent: 'b', children: [], message: message('assistant', 'Here.') },
        },
      },
    ]);
    expect(chatGpt).toMatchObject({
      title: 'Move',
      blocks: [{ speaker: 'user', text: 'Where?' }, { text: 'Here.' }],
    });
  });

  it('is text with a time and a speaker on the line of each turn', () => {
    const read = readPlain(
      fileOf(
        '[13.06.26, 18:05:11] Ada: Where?\nNow?\n[13.06.26, 18:06:00] Bob: Here.\n[13.06.26, 18:07:00] Ada: Good.\n',
        'chat.txt',
      ),
    );
    expect(read.contentType).toBe('conversation');
    expect(read.blocks).toEqual([
      { kind: 'turn', speaker: 'Ada', text: 'Where?\nNow?', at: '2026-06-13T18:05:11.000Z' },
      { kind: 'turn', speaker: 'Bob', text: 'Here.', at: '2026-06-13T18:06:00.000Z' },
      { kind: 'turn', speaker: 'Ada', text: 'Good.', at: '2026-06-13T18:07:00.000Z' },
    ]);
  });

  it.each([
    ['3/12/26, 6:05 PM', '2026-03-12T18:05:00.000Z'],
    ['12/03/2026, 18:05', '2026-03-12T18:05:00.000Z'],
    ['03/12/26, 6:05 pm', '2026-12-03T18:05:00.000Z'],
    ['3.12.26, 18:05', '2026-12-03T18:05:00.000Z'],
    ['2026-03-12, 18:05', '2026-03-12T18:05:00.000Z'],
  ])('knows the order of day and month in %s', (written, at) => {
    const lines = ['Ada: Where?', 'Bob: Here.', 'Ada: Good.'].map((line) => `${written} - ${line}`);
    expect(readPlain(fileOf(lines.join('\n'), 'chat.txt')).blocks[0]).toMatchObject({ speaker: 'Ada', at });
  });

  it('is not seen in other records', () => {
    expect(
      json([
        { name: 'x', value: 1 },
        { name: 'y', value: 2 },
      ]).contentType,
    ).toBe('table');
  });
});
