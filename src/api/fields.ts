import { z } from 'zod';
import { filterFieldNames, filterLimits, filterObject } from '../domain/filter.ts';
import type { JsonObject } from '../domain/json.ts';
import { timestamp } from '../domain/memory/content.ts';

/** Input and output fields that several operations have in common. */

const maxWaitMs = 30_000;
const waitMs = z.int().min(0).max(maxWaitMs).optional();

/** Fields by which a caller reads its own writes. */
export const waitFields = {
  minPosition: z.string().optional().meta({
    description:
      'Position from an earlier response, or up to 100 with commas between them; the answer includes everything up to them, such as your own write',
  }),
  waitMs: waitMs.meta({
    description: 'Maximum time to wait for `minPosition`, in milliseconds. Default: 2,000',
  }),
};

export const pageFields = {
  limit: z
    .int()
    .min(1)
    .max(500)
    .optional()
    .meta({ description: 'Maximum number of items in a page. Default: 50' }),
  cursor: z.string().optional().meta({ description: '`nextCursor` of the previous page' }),
};

export const defaultLimit = 50;

export const asOfField = z
  .string()
  .optional()
  .meta({ description: 'Read the state as of this position or RFC 3339 time with an offset, inclusive' });

export const filterField = filterObject
  .optional()
  .meta({ description: `Conditions on ${filterFieldNames}; ${filterLimits}` });

export const timeField = timestamp.optional();

/** Matches no revision: callers that name something else than a revision are refused as for an outdated one. */
export const noRevision = -1;

export const expectedRevisionField = z
  .union([z.int().min(noRevision), z.literal('*')])
  .optional()
  .meta({ description: 'Revision that the memory must have; * accepts any' });

/** The body of a JSON merge patch of a configuration with these fields. Each is optional, and null restores its default. */
export function mergePatchOf(fields: Readonly<Record<string, z.ZodType>>) {
  return z.strictObject(
    Object.fromEntries(
      Object.entries(fields).map(([field, schema]) => {
        const set = schema instanceof z.ZodDefault ? (schema.unwrap() as z.ZodType) : schema;
        return [field, set.nullable().optional()];
      }),
    ),
  );
}

export const mustBeNewField = z
  .boolean()
  .optional()
  .meta({ description: 'Whether the command is refused if the memory exists already' });

export const positionField = z.string().meta({
  description: 'Position in the log. Pass it as `minPosition` to a later request to read your own write',
});

export const memoryIdField = z.string();

/** Input as it is recorded in an audit event. */
export function asRecorded(parameters: object): JsonObject {
  return JSON.parse(JSON.stringify(parameters)) as JsonObject;
}
