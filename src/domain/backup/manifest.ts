import { hash } from 'node:crypto';
import { z } from 'zod';

/** Format of a backup. Increased when earlier versions of this program can no longer read it. */
export const backupFormat = 1;

const count = z.int().nonnegative();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const fileName = z.string().regex(/^(?:log|control)\/[0-9a-z-]+\.ndjson$/);
const time = z.iso.datetime();

/** A file of consecutive events, one a line. */
const segmentSchema = z.strictObject({
  file: fileName,
  bytes: count,
  sha256,
  events: count,
  /** Positions and times of the first and the last event. */
  first: count,
  last: count,
  from: time,
  to: time,
});

const manifestSchema = z.strictObject({
  format: z.literal(backupFormat),
  log: z.strictObject({ id: z.string(), origin: z.string() }),
  /** Number of events, the position of the last of them, and the root of the tree over them, in base64. */
  size: count,
  position: count,
  root: z.string(),
  /** The roots of the complete subtrees, the largest first, so that the next backup can go on. */
  subtrees: z.array(z.string()),
  /** The end that the log had when the last backup began. The backup is complete when it has all of it. */
  wanted: z.strictObject({ size: count, position: count, root: z.string() }),
  /** When the last backup began: nothing is known of later. */
  at: time,
  segments: z.array(segmentSchema),
  /** What does not follow from the log, read when the last backup began. */
  control: z.strictObject({ file: fileName, bytes: count, sha256 }),
});

export type Segment = z.infer<typeof segmentSchema>;
export type Manifest = z.infer<typeof manifestSchema>;

/** The text is not a manifest as `formatManifest` writes it. */
export class MalformedManifest extends Error {
  override readonly name = 'MalformedManifest';
}

/** The manifest as text, with a hash over itself. */
export function formatManifest(given: Manifest): string {
  // The order of its fields is that of the schema.
  const manifest = manifestSchema.parse(given);
  return `${JSON.stringify({ ...manifest, sha256: digest(manifest) }, null, 2)}\n`;
}

/** Throws `MalformedManifest`. */
export function parseManifest(text: string): Manifest {
  let sent: unknown;
  try {
    sent = JSON.parse(text);
  } catch {
    throw new MalformedManifest('it is not JSON');
  }
  const { sha256: kept, ...rest } = Object(sent) as Record<string, unknown>;
  const { format } = rest;
  if (typeof format === 'number' && format > backupFormat)
    throw new MalformedManifest(
      `it has format ${format}, and this version reads formats up to ${backupFormat}: update the program`,
    );
  const parsed = manifestSchema.safeParse(rest);
  if (!parsed.success || digest(parsed.data) !== kept || formatManifest(parsed.data) !== text)
    throw new MalformedManifest('it is damaged');
  return parsed.data;
}

function digest(manifest: Manifest): string {
  return hash('sha256', JSON.stringify(manifest));
}

/** Whether the backup has everything that it was to have. */
export function isComplete({ size, wanted }: Manifest): boolean {
  return size === wanted.size;
}
