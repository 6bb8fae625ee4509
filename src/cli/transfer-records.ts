import { StratalogError, type RecordTrace } from '../../packages/client/src/index.ts';

/** Version of the format of an export. `import` refuses files of a later one. */
export const exportFormat = 1;

/** What an export holds besides memories, in the order in which it is written. */
export const kinds = ['links', 'feedback', 'traces', 'summaries', 'history'] as const;
export type Kind = (typeof kinds)[number];

/** First line of an export. */
export interface ExportHeader {
  readonly stratalog: 'export';
  readonly format: number;
  /** Version of the program that wrote the file. */
  readonly version: string;
  /** Everything up to this position of the log is in the file. */
  readonly position?: string | undefined;
  readonly at: string;
  readonly holds: readonly ('memories' | Kind)[];
}

/**
 * A line of an export that is not a memory. Ids of memories are those of the lines of memories in the same file. Older files have
 * none of these lines.
 */
export type ExportRecord =
  | {
      readonly record: 'link';
      readonly source: string;
      readonly target: string;
      readonly type: string;
      readonly confidence?: number;
    }
  | { readonly record: 'feedback'; readonly memory: string; readonly kind: string; readonly note?: string }
  | { readonly record: 'trace'; readonly trace: RecordTrace }
  | { readonly record: 'summary'; readonly summary: object }
  | { readonly record: 'version'; readonly memory: string; readonly version: object };

/** A file cannot be imported, or the key cannot export what was asked for. The message says why and what to do. */
export class TransferRefused extends StratalogError {
  override readonly name = 'TransferRefused';
}
