import type { Layer, Scope } from '../layers.ts';
import type { ContextBlockKind } from '../retrieval/events.ts';
import type { Depth } from '../summaries/depths.ts';
import { quoteText } from '../text/quote.ts';

/** A memory that a summary or a profile is made from. */
export interface BlockSource {
  readonly id: string;
  readonly externalId?: string | undefined;
}

/** A sentence or two with the memories that it comes from. */
export interface BlockStatement {
  readonly text: string;
  readonly sources: readonly BlockSource[];
}

/** The scope that a summary or a profile is about. */
export interface BlockScope {
  /** Id of all summaries of the scope. */
  readonly id: string;
  readonly layer: Layer;
  readonly scope: Scope;
  /** The user that the summary was personalised for. */
  readonly forUser?: string;
}

/** A summary that may be put into a context at one of its depths. */
export interface SummaryCandidate extends BlockScope {
  /** RFC 3339. */
  readonly generatedAt: string;
  /** Deepest first. */
  readonly versions: readonly {
    readonly depth: Depth;
    readonly statements: readonly BlockStatement[];
  }[];
}

/** Lasting facts about a user, the most important first. */
export interface ProfileCandidate extends BlockScope {
  readonly statements: readonly BlockStatement[];
}

/** Several statements as one item of a context. */
export interface Block extends BlockScope {
  readonly kind: ContextBlockKind;
  /** Only of a summary. */
  readonly depth?: Depth;
  /** Only of a summary: RFC 3339. */
  readonly generatedAt?: string;
  readonly statements: readonly BlockStatement[];
}

/** "team search", "company", "team search, for mia". */
export function nameOf({ layer, scope, forUser }: Pick<BlockScope, 'layer' | 'scope' | 'forUser'>): string {
  const name = layer === 'company' ? layer : `${layer} ${scope[layer]}`;
  return quoteText(forUser === undefined ? name : `${name}, for ${forUser}`);
}

export function blockText({ statements }: Pick<Block, 'statements'>): string {
  return statements.map(({ text }) => text).join('\n');
}

/** The distinct sources of all statements. */
export function blockSources({ statements }: Pick<Block, 'statements'>): readonly BlockSource[] {
  const all = statements.flatMap(({ sources }) => sources);
  return [...new Map(all.map((source) => [source.id, source])).values()];
}
