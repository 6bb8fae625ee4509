import { z } from 'zod';
import { filterFieldNames, filterLimits, filterObject } from '../domain/filter.ts';
import type { JsonObject } from '../domain/json.ts';
import { timestamp } from '../domain/memory/content.ts';

/** Input and output fields that several operations have in common. */

const maxWaitMs = 30_000;
const waitMs = z.int().min(0).max(maxWaitMs).optional();

/** Read-your-writes. */
export const waitFields = {
  minPosition: z
    .string()
    .optional()
    .meta({ description: 'Answer only from read models that include this position' }),
  waitMs: waitMs.meta({ description: 'How long to wait for it; default 2,000' }),
};

export const pageFields = {
  limit: z.int().min(1).max(500).optional().meta({ description: 'Default 50' }),
  cursor: z.string().optional(),
};

export const defaultLimit = 50;

export const asOfField = z
  .string()
  .optional()
  .meta({ description: 'A position or an RFC 3339 time with an offset, inclusive' });

export const filterField = filterObject
  .optional()
  .meta({ description: `Tests on ${filterFieldNames}; ${filterLimits}` });

export const timeField = timestamp.optional();

/** Matches no revision: callers that name something else than a revision are refused as for an outdated one. */
export const noRevision = -1;

export const expectedRevisionField = z
  .union([z.int().min(noRevision), z.literal('*')])
  .optional()
  .meta({ description: 'Revision that the memory must be at; * is any' });

export const mustBeNewField = z
  .boolean()
  .optional()
  .meta({ description: 'Refuse the command if what it would store exists' });

export const positionField = z
  .string()
  .meta({ description: 'Pass it as minPosition to read your own write' });

export const memoryIdField = z.string();

/** Input as it is recorded in an audit event. */
export function asRecorded(parameters: object): JsonObject {
  return JSON.parse(JSON.stringify(parameters)) as JsonObject;
}
