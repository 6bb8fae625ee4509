import { z } from 'zod';
import { isBlank, jsonError, jsonObject, textError } from '../json.ts';
import { identifier } from '../layers.ts';

/** UTF-16 code units. Compressed and encrypted, a text must also fit into an event: see `assertFits`. */
const maxContentLength = 1_000_000;

/** Maximum size of one event in the log, data and metadata, in bytes. EventStoreDB accepts 1 MiB per append. */
export const maxEventBytes = 1_000_000;

export const contentSchema = z
  .string()
  .superRefine((value, context) => {
    const fault = isBlank(value)
      ? 'must not be empty or only white space'
      : value.length > maxContentLength
        ? `has ${value.length} UTF-16 units, at most ${maxContentLength} are allowed: store a longer text in parts`
        : textError(value);
    if (fault)
      context.addIssue({
        code: 'custom',
        message: fault.startsWith('contains') ? `${fault}, which is not allowed` : fault,
      });
  })
  .meta({ minLength: 1, maxLength: maxContentLength, description: 'Text of the memory, stored unchanged' });

export const representationKinds = [
  'natural_language',
  'graph',
  'code',
  'formal',
  'ascii_diagram',
  'json_schema',
] as const;

const representationText = z
  .string()
  .min(1)
  .superRefine((value, context) => {
    const fault = textError(value);
    if (fault) context.addIssue({ code: 'custom', message: fault });
  });

/** Other representations of the same content, by kind. */
export const representationsSchema = z.partialRecord(z.enum(representationKinds), representationText);
/** Representations as callers send them. Checked before parsing, because `z.partialRecord` silently drops the key __proto__. */
export const representationsInput = z.preprocess((value, context) => {
  const fault = jsonError(value);
  if (fault) context.addIssue({ code: 'custom', path: fault.path, message: fault.message });
  return value;
}, representationsSchema);

export type Representations = z.infer<typeof representationsSchema>;

export const metadataSchema = jsonObject;
export const tagsSchema = z.array(identifier).max(100);
export const spacesSchema = z.array(identifier).max(100);

/**
 * An RFC 3339 time as it was sent, with its offset; `T` and `Z` in either case. Leap seconds are rejected, because JavaScript dates
 * have none, and so is year 0, because PostgreSQL has none.
 */
export const zonedTimestamp = z
  .string()
  .toUpperCase()
  .pipe(z.iso.datetime({ offset: true }))
  .refine((value) => {
    const time = new Date(value);
    // What is no time at all has been refused already.
    return Number.isNaN(time.getTime()) || /^(?!0000)[0-9]{4}-/.test(time.toISOString());
  }, 'must lie in the years 0001 to 9999')
  .meta({ type: 'string', format: 'date-time' });

/** The same, converted to UTC with milliseconds. */
export const timestamp = zonedTimestamp
  .transform((value) => new Date(value).toISOString())
  .meta({ type: 'string', format: 'date-time' });

/** When a memory is to be soft-deleted. A time that is over deletes it at once. */
export const expiresAtSchema = timestamp.meta({
  type: 'string',
  format: 'date-time',
  description: 'When the memory is soft-deleted',
});

export const retentionSchema = z.literal('keep', 'must be keep, or be left out').meta({
  description: '`keep`: neither `expiresAt` nor the retention of a space deletes the memory',
});
