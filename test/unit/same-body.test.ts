import { expect, it } from 'vitest';
import { assertSameBody } from '../../src/commands/command-record.ts';

const idempotency = { commandId: 'c', bodyHash: 'keyed', plainBodyHash: 'plain' };
const written = (bodyHash: string) => ({ metadata: { bodyHash } }) as Parameters<typeof assertSameBody>[0];

it('[A11] a key of before body hashes were keyed is known by its body, and refused with another', () => {
  expect(() => assertSameBody(written('keyed'), idempotency)).not.toThrow();
  expect(() => assertSameBody(written('plain'), idempotency)).not.toThrow();
  expect(() => assertSameBody(written('other'), idempotency)).toThrow('another body');
});
