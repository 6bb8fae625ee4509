import type { Filter } from '../filter.ts';
import type { Layer, Scope } from '../layers.ts';
import type { LinkType } from '../links/links.ts';
import type { SearchTexts } from '../reasoning/search-texts.ts';
import type { FieldValuePair } from './field-values.ts';
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

/** Steps from memories to other memories. No policy chooses them: a multi-hop search always takes both. */
export const hopNames = ['FollowLinks', 'FollowMentions'] as const;

/** Kinds of scope that a search can be narrowed to in turn, widest first. */
export const drillLayers = ['org', 'team', 'project'] as const;
export type DrillLayer = (typeof drillLayers)[number];

/** An action that the executor can take next. `operand` is the index of the operand that it belongs to. */
export type Action =
  | {
      readonly name: 'SearchLayer';
      readonly operand: number;
      readonly query: string;
      /** Search texts that replace the query. */
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
      /** Text that is searched for the names of scopes. */
      readonly filter: string;
    }
  | { readonly name: 'FilterByRelevance'; readonly min: number }
  | { readonly name: 'FilterByRecency'; readonly maxAgeDays: number }
  | { readonly name: 'RecursiveCall'; readonly operand: number; readonly question: string }
  | { readonly name: 'Aggregate'; readonly strategy: Aggregation };

/** A step from memories that were reached to the memories that they link to or mention. */
export type Hop =
  | { readonly name: 'FollowLinks'; readonly from: readonly string[]; readonly types?: readonly LinkType[] }
  | {
      readonly name: 'FollowMentions';
      readonly query: string;
      readonly mentions: readonly { readonly from: string; readonly names: readonly FieldValuePair[] }[];
    };
