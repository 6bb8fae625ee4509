import { beforeAll, describe, expect, it } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { expectInvalid } from '../support/problem.ts';
import { newAdmin } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

// Texts of this length have thousands of passages, which a model would embed for minutes.
const server = useSharedServer('deterministic');

const limit = 1_000_000;

/** A text of exactly `units` UTF-16 units that ends with `last`. Most of it is white space, so that it has few passages. */
function textOf(units: number, filler: string, last: string): string {
  const rest = units - last.length;
  const sparse = filler.padEnd(8 * filler.length);
  const text = sparse.repeat(Math.floor(rest / sparse.length)) + ' '.repeat(rest % sparse.length) + last;
  if (text.length !== units) throw new Error(`${text.length} units`);
  return text;
}

let admin: Client;

beforeAll(async () => {
  admin = await newAdmin(server);
});

/** What a text is made of and its last word. The letters of some take one unit and one byte, of others two units and four bytes. */
type Script = readonly [name: string, filler: string, last: string];

/** On servers too: most bytes in a unit, and letters that are two units. */
const largest: readonly Script[] = [
  ['Chinese characters', '关于港口和船只的笔记。', '灯塔守护'],
  ['surrogate pairs', '⛵😀🚢👩‍👩‍👧 ', 'beacon'],
];
const others: readonly Script[] = [
  ['Latin letters', 'Notes about the harbour and its boats. ', 'lighthouse'],
  ['Cyrillic letters', 'Заметки о гавани и лодках. ', 'маяковый'],
  ['Arabic letters', 'ملاحظات حول الميناء والقوارب. ', 'فنارات'],
  ['combining marks', 'de\u0301ja\u0300 vu\u0308 o\u0302te\u0301 ', 'pha\u0301rre'],
];

describe('a text of 1,000,000 UTF-16 units', () => {
  type Stored = { readonly id: string; readonly position: string };
  const singly = async (content: string): Promise<Stored> => {
    const { memory, position } = await admin.store({ content });
    return { id: memory.id, position };
  };
  const inBulk = async (content: string): Promise<Stored> => {
    const [line] = await admin.bulk([{ content, duplicates: 'keep' }]);
    expect(line).toMatchObject({ status: 201 });
    return line as Json;
  };
  const expectStored = async (
    [, filler, last]: Script,
    ...ways: ((content: string) => Promise<Stored>)[]
  ): Promise<void> => {
    const content = textOf(limit, filler, ` ${last}`);
    for (const store of ways) {
      const { id, position } = await store(content);
      expect((await admin.get(`/v1/memories/${id}`)).body.content === content).toBe(true);
      const query = { query: last, threshold: 0, minPosition: position, waitMs: 30_000 };
      const { body } = await admin.post('/v1/search', { ...query, content: 'passage' });
      const found = body.results.find((result: Json) => result.memory.id === id);
      expect(found?.passage).toMatchObject({ end: limit });
    }
  };
  it.each(largest)(
    '[A1] [A5] of %s is stored whole by a single request and by bulk, and found by its last word',
    (...script) => expectStored(script, singly, inBulk),
  );
  it.each(others)('[A1] [A5] of %s is stored whole, and found by its last word', (...script) =>
    expectStored(script, singly),
  );

  it.each([...largest, ...others])(
    '[A1] of %s with one unit more is refused by both, naming the field and the limit',
    async (_, filler, last) => {
      const content = textOf(limit + 1, filler, ` ${last}`);
      const reply = await admin.post('/v1/memories', { content });
      expectInvalid(reply, 'content');
      const [line] = await admin.bulk([{ content }]);
      expect(line).toMatchObject({ status: 400, problem: { errors: [{ path: 'content' }] } });
      for (const { detail } of [reply.body, line!.problem])
        expect(detail).toMatch(
          /content: .*1000001.*at most 1000000 are allowed: store a longer text in parts/,
        );
    },
  );
});
