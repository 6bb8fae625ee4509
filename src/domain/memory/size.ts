import { compress } from '../compression.ts';
import { Problem } from '../problems.ts';
import { maxEventBytes } from './content.ts';

/** The fields of a memory that can be large. */
interface SizedMemory {
  readonly content: string;
  readonly metadata: object;
  readonly representations: object;
  readonly tags: readonly string[];
  readonly spaces: readonly string[];
}

const sizedFields = ['content', 'metadata', 'representations', 'tags', 'spaces'] as const;

/** Allowance for the rest of the event: metadata, field names and the encryption frame. */
const envelopeBytes = 4_000;

/**
 * Throws `content-too-large` if no event could hold the memory, naming the largest of the fields that were `sent`. Checked before
 * anything is written, so that nothing of such a memory is stored. Only content counts compressed: read models and answers hold
 * the other fields as they are.
 */
export function assertFits(memory: SizedMemory, sent: readonly string[] = sizedFields): void {
  const texts = sizedFields.map((field) => ({ field, text: JSON.stringify(memory[field]) }));
  const others = texts.filter(({ field }) => field !== 'content');
  const plain = bytesOf(texts);
  if (sealedBytes(plain) <= maxEventBytes) return;
  if (sealedBytes(bytesOf(others)) > maxEventBytes)
    throw contentTooLarge(sealedBytes(bytesOf(others)), largestOf(others, sent));
  const { length } = compress(texts.map(({ text }) => text).join(',')).bytes;
  if (sealedBytes(length) > maxEventBytes) throw contentTooLarge(sealedBytes(length), largestOf(texts, sent));
}

/** The problem for an event that would take `bytes` in the log; `field` is the field to shorten. */
export function contentTooLarge(bytes: number, field: string): Problem {
  return new Problem(
    'content-too-large',
    `the memory takes ${bytes} bytes encrypted, and an event may take ${maxEventBytes}: store it in parts`,
    { errors: [{ path: field, message: 'is too large: `detail` says by how much' }] },
  );
}

interface FieldText {
  readonly field: string;
  readonly text: string;
}

function bytesOf(fields: readonly FieldText[]): number {
  return fields.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
}

function largestOf(fields: readonly FieldText[], sent: readonly string[]): string {
  const [largest] = fields
    .filter(({ field }) => sent.includes(field))
    .sort((left, right) => right.text.length - left.text.length);
  return largest?.field ?? 'content';
}

/** Base64 turns three bytes into four. */
function sealedBytes(bytes: number): number {
  return Math.ceil((bytes * 4) / 3) + envelopeBytes;
}
