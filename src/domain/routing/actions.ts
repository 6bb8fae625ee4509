import type { Filter } from '../filter.ts';
import type { Layer, Scope } from '../layers.ts';
import type { LinkType } from '../links/links.ts';
import type { SearchTexts } from '../reasoning/search-texts.ts';
import type { HeldValue } from './field-values.ts';
import type { Aggregation } from './plan.ts';

export const actionNames = [
  'SearchLayer',
  'DrillDown',
  'FilterByRelevance',
  'FilterByRecency',
  'RecursiveCall',
  'Aggregate',
] as const;
export type ActionName = (typeof actionNames)[number];

/** What leads from memories to others: no policy chooses it, a multi-hop search always does both. */
export const hopNames = ['FollowLinks', 'FollowMentions'] as const;

/** Kinds of place that a search can be narrowed to one by one, the widest first. */
export const drillLayers = ['org', 'team', 'project'] as const;
export type DrillLayer = (typeof drillLayers)[number];

/** One thing that the executor can do next. `operand` says for which part of the question. */
export type Action =
  | {
      readonly name: 'SearchLayer';
      readonly operand: number;
      readonly query: string;
      /** What is looked for instead of the query. */
      readonly texts?: SearchTexts | undefined;
      readonly layers?: readonly Layer[] | undefined;
      readonly scope?: Scope | undefined;
      readonly filter?: Filter | undefined;
    }
  | {
      readonly name: 'DrillDown';
      readonly operand: number;
      readonly from: 'company' | DrillLayer;
      readonly to: DrillLayer;
      /** Words that the places' names are looked for in. */
      readonly filter: string;
    }
  | { readonly name: 'FilterByRelevance'; readonly min: number }
  | { readonly name: 'FilterByRecency'; readonly maxAgeDays: number }
  | { readonly name: 'RecursiveCall'; readonly operand: number; readonly question: string }
  | { readonly name: 'Aggregate'; readonly strategy: Aggregation };

/** A step from memories that were reached to those that they lead to. */
export type Hop =
  | { readonly name: 'FollowLinks'; readonly from: readonly string[]; readonly types?: readonly LinkType[] }
  | {
      readonly name: 'FollowMentions';
      readonly query: string;
      readonly mentions: readonly { readonly from: string; readonly names: readonly HeldValue[] }[];
    };
