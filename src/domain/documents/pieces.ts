import type { Span } from '../text/sentences.ts';

/** Where a block stands in the composed text, and how it is divided. */
export interface Piece extends Span {
  readonly kind: 'text' | 'table' | 'code' | 'turn' | 'entry';
  /** `symbol` and `source` are parts of source code with and without a symbol of their own. */
  readonly form: 'flow' | 'symbol' | 'source' | 'turn' | 'entry';
  /** Equal for pieces under the same heading. */
  readonly run: number;
  readonly path: readonly string[];
  /** Start of the heading's line, for the first piece under it. */
  readonly headingStart?: number;
  /** Of a table, the range of its caption and header; of a turn, that of its speaker. */
  readonly header?: readonly [number, number];
  /** Start of the rows of a table, or of the text of an entry. */
  readonly bodyStart?: number;
  readonly page?: number;
  readonly isBoilerplate?: true;
  readonly isHidden?: true;
  readonly key?: string;
  readonly at?: string;
  readonly uri?: string;
}
