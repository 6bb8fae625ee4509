import { z } from 'zod';
import { externalIdSchema } from '../domain/layers.ts';
import { timestamp } from '../domain/memory/content.ts';
import {
  filterFieldNames,
  filterLimits,
  parseFilter,
  type Filter,
  type FilterReading,
} from '../domain/filter.ts';
import type { JsonObject } from '../domain/json.ts';
import { invalid, Problem } from '../domain/problems.ts';
import { parsePosition, takesPositionOrTime } from '../domain/position.ts';
import type { EventStore } from '../ports/event-store.ts';

export const maxWaitMs = 30_000;

/** A parameter that may stand several times. */
export function many<Item extends z.ZodType>(item: Item) {
  return z
    .preprocess(
      (value) => (value === undefined || Array.isArray(value) ? value : [value]),
      z.array(item).min(1).optional(),
    )
    .meta({ type: 'array', items: { type: 'string' } });
}

/** As `many`, of words without a comma: they may also stand in one parameter, separated by commas. */
export function manyWords<Item extends z.ZodType>(item: Item) {
  return z
    .preprocess(
      (value) =>
        value === undefined ? value : [value].flat().flatMap((text) => (text as string).split(',')),
      z.array(item).min(1).optional(),
    )
    .meta({ type: 'array', items: { type: 'string' } });
}

export function integer(least: number, most: number) {
  return z
    .string()
    .regex(/^-?[0-9]{1,9}$/, 'must be an integer')
    .transform(Number)
    .pipe(z.int().min(least).max(most))
    .meta({ type: 'integer', minimum: least, maximum: most });
}

/** Read-your-writes as query parameters. */
export const waitParameters = {
  minPosition: z
    .string()
    .optional()
    .meta({ description: 'Answer only from read models that include this position' }),
  waitMs: integer(0, maxWaitMs).optional().meta({ description: 'How long to wait for it; default 2,000' }),
};

/** The same as body fields. */
export const waitFields = {
  minPosition: z.string().optional(),
  waitMs: z.int().min(0).max(maxWaitMs).optional(),
};

export const pageParameters = {
  limit: integer(1, 500).optional().meta({ description: 'Default 50' }),
  cursor: z.string().optional(),
};

export const defaultLimit = 50;

/** A position token or a time. */
export const asOfParameter = z
  .string()
  .optional()
  .meta({ description: 'A position or an RFC 3339 time with an offset, inclusive' });

export const filterParameter = z
  .string()
  .max(50_000)
  .optional()
  .meta({ description: `A filter as JSON, on ${filterFieldNames}; ${filterLimits}` });

export const externalIdParameter = externalIdSchema.optional();
export const timeParameter = timestamp.optional();

export function readFilterParameter(
  text: string | undefined,
  reading: FilterReading = {},
): Filter | undefined {
  if (text === undefined) return undefined;
  try {
    return parseFilter(JSON.parse(text), reading);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw invalid('filter', 'is not valid JSON');
  }
}

export function readWait(
  store: EventStore,
  { minPosition, waitMs }: { minPosition?: string | undefined; waitMs?: number | undefined },
): { minPosition?: number; waitMs?: number } {
  return {
    ...(minPosition !== undefined && {
      minPosition: parsePosition(store.log.logId, minPosition, 'minPosition'),
    }),
    ...(waitMs !== undefined && { waitMs }),
  };
}

/** The position that `asOf` names: of a time, the last one accepted at or before it. */
export async function readAsOf(
  store: EventStore,
  now: Date,
  asOf: string | undefined,
): Promise<number | undefined> {
  if (asOf === undefined) return undefined;
  const time = timestamp.safeParse(asOf);
  if (!time.success) return parsePosition(store.log.logId, asOf, 'asOf', takesPositionOrTime);
  const at = new Date(time.data);
  if (at > now) throw invalid('asOf', 'lies in the future');
  return store.log.positionAt(at);
}

/** What was asked for, as a look at it is written down. */
export function asSent(parameters: object): JsonObject {
  return JSON.parse(JSON.stringify(parameters)) as JsonObject;
}
