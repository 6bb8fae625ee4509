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
  const title = '[A1] [A5] of %s is stored whole by a single request and by bulk, and found by its last word';
  const isStored = async (_: string, filler: string, last: string) => {
    const content = textOf(limit, filler, ` ${last}`);
    const { memory } = await admin.store({ content });
    const got = await admin.get(`/v1/memories/${memory.id}`);
    expect(got.body.content === content).toBe(true);
    const [line] = await admin.bulk([{ content, duplicates: 'keep' }]);
    expect(line).toMatchObject({ status: 201 });
    const query = { query: last, threshold: 0, minPosition: line!.position, waitMs: 30_000 };
    const { body } = await admin.post('/v1/search', { ...query, content: 'passage' });
    for (const id of [memory.id, line!.id]) {
      const found = body.results.find((result: Json) => result.memory.id === id);
      expect(found?.passage).toMatchObject({ end: limit });
    }
  };
  it.each(largest)(title, isStored);
  it.each(others)(title, isStored);

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
