import type { Types } from '@opensearch-project/opensearch';
import { scopeTests, type Region } from '../../domain/access/region.ts';
import type { VisibleLayer } from '../../domain/access/visibility.ts';
import type { ScopeKey } from '../../domain/layers.ts';

type Query = Types.Common_QueryDsl.QueryContainer;

/** Active documents of the region that contain any word of `text`; with `among`, only documents with these ids. */
export function queryOf(region: Region, text: string, among: readonly string[] | undefined): Query {
  return {
    bool: {
      filter: [
        { term: { deleted: { value: false } } },
        ...regionFilter(region),
        ...(among ? [{ terms: { memoryId: [...among] } }] : []),
      ],
      must: [{ match: { body: { query: text } } }],
    },
  };
}

/** The region as conditions that must all hold. An empty visibility matches nothing. */
function regionFilter({ tenant, visibility, layers, scope = {} }: Region): Query[] {
  const conditions: Query[] = [{ term: { tenant: { value: tenant } } }];
  if (visibility !== 'all') conditions.push(anyOf(visibility.map(visibleLayer)));
  if (layers) conditions.push({ terms: { layer: [...layers] } });
  for (const { key, value, without } of scopeTests(scope)) {
    const field = fieldOf(key);
    const lacking: Query = {
      bool: { must_not: [{ exists: { field } }], filter: [{ terms: { layer: [...without] } }] },
    };
    conditions.push(anyOf([{ term: { [field]: { value } } }, ...(without.length > 0 ? [lacking] : [])]));
  }
  return conditions;
}

function visibleLayer({ layer, key, values = [], withoutUser }: VisibleLayer): Query {
  const own: Query = { term: { layer: { value: layer } } };
  return {
    bool: {
      filter: [own, ...(key === undefined ? [] : [{ terms: { [fieldOf(key)]: [...values] } }])],
      ...(withoutUser && { must_not: [{ exists: { field: fieldOf('user') } }] }),
    },
  };
}

/** Matches nothing without alternatives, for which a `bool` query would match everything. */
function anyOf(alternatives: Query[]): Query {
  return alternatives.length === 0
    ? { match_none: {} }
    : { bool: { should: alternatives, minimum_should_match: 1 } };
}

function fieldOf(key: ScopeKey): string {
  return `scope.${key}`;
}

/** Shortens a text with too many words: keeps each word once, or if there is no repeated word, the first half. */
export function fewerWords(text: string): string {
  const distinct = [...new Set(text.split(/\s+/u))].join(' ');
  return distinct.length < text.length ? distinct : text.slice(0, Math.floor(text.length / 2));
}
