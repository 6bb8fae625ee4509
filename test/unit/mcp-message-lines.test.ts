import { expect, it } from 'vitest';
import { MessageLines } from '../../src/cli/mcp/message-lines.ts';

/** Writes the pieces, and returns what is passed on and what is answered. */
async function pass(...pieces: (string | Buffer)[]) {
  const answered: unknown[] = [];
  const lines = new MessageLines({ maxLength: 1_000, answer: (line) => answered.push(JSON.parse(line)) });
  for (const piece of pieces) lines.write(piece);
  lines.end();
  let passed = '';
  for await (const chunk of lines) passed += String(chunk);
  return { passed, answered };
}

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

it('[J3] messages are passed on, also in pieces, after a byte order mark, and with params of null', async () => {
  const text = Buffer.from(
    `\uFEFF${JSON.stringify({ ...ping, params: null })}\r\n\n${JSON.stringify({ ...ping, id: 'ü' })}\n`,
  );
  for (const at of [1, 10, text.length - 5])
    expect(await pass(text.subarray(0, at), text.subarray(at))).toEqual({
      passed: `${JSON.stringify(ping)}\n${JSON.stringify({ ...ping, id: 'ü' })}\n`,
      answered: [],
    });
});

it('[J3] every request that has an id is answered, and no notification or answer is', async () => {
  const lines = [
    '{"jsonrpc":"2.0","id":2,"method":"ping","params":[1]}',
    '{"id":3,"method":"ping"}',
    'nonsense',
    '[]',
    '{"jsonrpc":"2.0","method":"ping","params":[1]}',
    '{"jsonrpc":"2.0","id":4,"result":5}',
  ];
  const { passed, answered } = await pass(lines.map((line) => `${line}\n`).join(''));
  expect(passed).toBe('');
  expect(answered).toMatchObject([
    { id: 2, error: { code: -32_600 } },
    { id: 3, error: { code: -32_600 } },
    { id: null, error: { code: -32_700 } },
    { id: null, error: { code: -32_600 } },
  ]);
});

it('[J3] a line without an end is passed on, for the library to refuse', async () => {
  const { passed } = await pass('x'.repeat(700), 'x'.repeat(700));
  expect(passed).toBe('x'.repeat(1_400));
});
