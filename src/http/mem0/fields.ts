import { z } from 'zod';
import { filterObject } from '../../domain/filter.ts';
import type { JsonObject } from '../../domain/json.ts';
import { entityFields, entityNames, noEntity, type EntityIds } from './entities.ts';
import { translateFilter, type TranslatedFilter } from './filters.ts';
import { unexpired } from './memory.ts';
import { timeOf } from './times.ts';

export const expirationDate = z.iso.date('must be a date such as 2026-01-31');

/** What a list and a search of mem0 have in common. Entities beside `filters` are conditions too. */
export const readFields = {
  ...entityFields,
  filters: filterObject.nullish(),
  categories: z.array(z.string()).nullish(),
  fields: z.array(z.string()).nullish(),
  show_expired: z.boolean().nullish(),
  latest_only: z.boolean().nullish(),
  start_date: z.union([z.string(), z.number()]).nullish(),
  end_date: z.union([z.string(), z.number()]).nullish(),
};

interface Asked extends EntityIds {
  readonly filters?: JsonObject | null | undefined;
  readonly categories?: readonly string[] | null | undefined;
  readonly show_expired?: boolean | null | undefined;
  readonly start_date?: string | number | null | undefined;
  readonly end_date?: string | number | null | undefined;
}

/** All conditions of a list or a search as one filter. Throws if none is about an entity. */
export function conditionsOf(asked: Asked): TranslatedFilter {
  const beside = entityNames.filter((name) => asked[name] != null);
  const parts = [
    ...beside.map((name) => translateFilter({ [name]: asked[name]! }, name)),
    ...(asked.filters && Object.keys(asked.filters).length > 0 ? [translateFilter(asked.filters)] : []),
  ];
  if (!parts.some(({ namesEntity }) => namesEntity)) throw noEntity('filters');
  const { categories, start_date: start, end_date: end } = asked;
  const conditions: JsonObject[] = [
    ...parts.map(({ filter }) => filter),
    ...(categories && categories.length > 0 ? [{ tags: { in: categories } }] : []),
    ...(start != null ? [{ createdAt: { gte: timeOf(start, 'start_date') } }] : []),
    ...(end != null ? [{ createdAt: { lte: timeOf(end, 'end_date', 'end') } }] : []),
  ];
  return {
    filter: unexpired(
      conditions.length === 1 ? conditions[0]! : { and: conditions },
      asked.show_expired ?? false,
      new Date(),
    ),
    users: new Set(parts.flatMap(({ users }) => [...users])),
    anyUser: parts.some(({ anyUser }) => anyUser),
    namesEntity: true,
  };
}
