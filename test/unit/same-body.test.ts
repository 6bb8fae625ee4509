import { expect, it } from 'vitest';
import { assertSameBody } from '../../src/commands/command-record.ts';

const idempotency = { commandId: 'c', bodyHash: 'keyed', plainBodyHash: 'plain' };
const written = (bodyHash: string) => ({ metadata: { bodyHash } }) as Parameters<typeof assertSameBody>[0];

it('[A11] a record with an unkeyed body hash matches the same body, and refuses another one', () => {
  expect(() => assertSameBody(written('keyed'), idempotency)).not.toThrow();
  expect(() => assertSameBody(written('plain'), idempotency)).not.toThrow();
  expect(() => assertSameBody(written('other'), idempotency)).toThrow('another body');
});
