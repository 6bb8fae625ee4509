import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { parseRootKey } from '../../src/adapters/vault/root-key.ts';

it.each([
  ['empty', ''],
  ['too short', randomBytes(12).toString('base64')],
  ['not base64', '*** not a key ***'],
])('[J8] a vault key that is %s is refused, and not shown', (_, text) => {
  const parse = () => parseRootKey(text);
  expect(parse).toThrow(/32 bytes in base64/);
  if (text !== '') expect(parse).not.toThrow(text);
});

it('a vault key may end with a line break', () => {
  const key = randomBytes(32);
  expect(Buffer.from(parseRootKey(`${key.toString('base64')}\n`))).toEqual(key);
});
