/** A part of what was read from a document, in reading order. Texts are Markdown without headings of their own. */
export type Block = BlockPlace &
  (
    | { readonly kind: 'heading'; readonly level: number; readonly text: string }
    /** Paragraphs, lists and quotes. */
    | { readonly kind: 'text'; readonly text: string }
    | {
        readonly kind: 'table';
        readonly caption?: string;
        readonly header: readonly string[];
        readonly rows: readonly (readonly string[])[];
      }
    /** `symbol` is the path of what is declared, outermost first, such as `['TideCache', 'get']`; absent for a fence within prose. */
    | {
        readonly kind: 'code';
        readonly text: string;
        readonly language?: string;
        readonly symbol?: readonly string[];
      }
    | { readonly kind: 'turn'; readonly speaker: string; readonly text: string; readonly at?: string }
    /** An entry of a feed. `key` names it in every version of the feed. */
    | {
        readonly kind: 'entry';
        readonly key: string;
        readonly title: string;
        readonly text: string;
        readonly at?: string;
        readonly uri?: string;
      }
  );

interface BlockPlace {
  /** 1-based page, slide or sheet. */
  readonly page?: number;
  /** Navigation, banners and quoted mail that could not be told apart for certain. */
  readonly isBoilerplate?: boolean;
  /** Of a hidden sheet or slide. */
  readonly isHidden?: boolean;
}

/** Pages of a document, 1-based. */
export interface Pages {
  readonly total: number;
  /** Pages without anything on them. */
  readonly empty: readonly number[];
  /** Pages with pictures alone. */
  readonly withoutText: readonly number[];
}

/** What a reader makes of the bytes of a file. */
export interface DocumentContent {
  readonly mediaType: string;
  /** An open word, such as `documentation`, `note`, `code`, `conversation`, `feed_entry`, `mail`, `table`. */
  readonly contentType: string;
  readonly title?: string;
  /** BCP 47 code of the human language; absent if it is not certain, and for code. */
  readonly language?: string;
  readonly programmingLanguage?: string;
  /** RFC 3339; when it was written, where the file says so. */
  readonly occurredAt?: string;
  readonly blocks: readonly Block[];
  readonly pages?: Pages;
  /** Tags that the file gives itself, such as in its front matter. */
  readonly tags?: readonly string[];
  /** Front matter and properties of the file. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Characters that the encoding could not represent. */
  readonly replacements: number;
  /** Tells whether the file is one window of a feed: entries that it no longer has are kept. */
  readonly isFeed?: boolean;
  readonly attachments?: readonly Attachment[];
}

export interface Attachment {
  readonly filename: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}
