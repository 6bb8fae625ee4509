import { Problem } from '../problems.ts';
import { maxEventBytes } from './content.ts';

/** The fields of a memory that may be large. */
interface Sized {
  readonly content: string;
  readonly metadata: object;
  readonly representations: object;
  readonly tags: readonly string[];
  readonly spaces: readonly string[];
}

const sizedFields = ['content', 'metadata', 'representations', 'tags', 'spaces'] as const;
type SizedField = (typeof sizedFields)[number];

/** What the event has beside: who, when and why, its names and the frame of its ciphertext. */
const envelopeBytes = 4_000;

/**
 * Throws where one event could not hold the memory: then nothing of it is stored, and what an export writes an import
 * takes. Names the largest of the fields that were sent.
 */
export function assertFits(memory: Sized, sent: readonly string[] = sizedFields): void {
  const size = (field: SizedField): number => Buffer.byteLength(JSON.stringify(memory[field]));
  const plain = sizedFields.reduce((sum, field) => sum + size(field), 0);
  // Base64 makes four bytes of three.
  const bytes = Math.ceil((plain * 4) / 3) + envelopeBytes;
  if (bytes <= maxEventBytes) return;
  const [largest = 'content'] = sizedFields
    .filter((field) => sent.includes(field))
    .sort((left, right) => size(right) - size(left));
  throw new Problem(
    'validation-failed',
    `the memory takes ${bytes} bytes encrypted, at most ${maxEventBytes} are allowed: longer content goes through ingestion, which chunks it`,
    {
      errors: [
        {
          path: largest,
          message: `has ${size(largest)} bytes: all of the memory takes at most ${maxEventBytes} encrypted`,
        },
      ],
    },
  );
}
