import type { Layer } from '../layers.ts';
import type { Refutation } from '../ranking/feedback.ts';
import type { ContextBlockKind, ContextItemKind, LeftOutReason } from '../retrieval/events.ts';
import type { RepresentationKind } from '../memory/searched-text.ts';
import type { Trust } from '../trust/trust.ts';
import type { Span } from '../text/sentences.ts';

/** A memory that a search found for a context. */
export interface ContextCandidate {
  readonly id: string;
  readonly externalId?: string | undefined;
  readonly layer: Layer;
  /** Its content, or the representation that matches better. */
  readonly content: string;
  /** The kind of that representation. */
  readonly representation?: RepresentationKind | undefined;
  /** When it occurred, else when it was stored: RFC 3339 with the offset of the asker's clock. */
  readonly time: string;
  /** Probability that it is relevant. */
  readonly relevance: number;
  /** The part of a long content that matches best. */
  readonly passage?: Span | undefined;
  /** Number of the part of the question that it answers best, if the question was decomposed. */
  readonly part?: number | undefined;
  /** Whether only its best sentences may be quoted. */
  readonly isBrief?: boolean;
  /** Whether its day matters, because what it says has changed. */
  readonly isDated?: boolean;
  /** Id of the newest memory that supersedes it. */
  readonly supersededBy?: string | undefined;
  /** How callers judged it, if they say that it does not hold. */
  readonly refuted?: Refutation | undefined;
  /** Where it came from, and what rules noticed. */
  readonly trust?: Trust | undefined;
  /** Of a section: its place in its document, such as `Handbook › Refunds, p. 12`. */
  readonly cited?: string | undefined;
}

export interface LeftOut {
  readonly id: string;
  readonly reason: LeftOutReason;
}

/** A part of a context with its own `[n]`. */
export interface ContextItem {
  readonly kind: ContextItemKind | ContextBlockKind;
  /** Id of the memory, or of the scope of a summary or profile. */
  readonly id: string;
  readonly externalId?: string;
  readonly layer: Layer;
  /** Tokens of its line, with mark and notes. */
  readonly tokens: number;
  readonly citation: string;
  /** Where the memory came from, and what rules noticed; absent for what a user wrote and nothing is noticed about. */
  readonly trust?: Pick<Trust, 'source' | 'flags'>;
  /** As it stands in the context: quoted (`quoteText`) from the memory, or from the summary without its own marks. */
  readonly text: string;
  /** The representation that `text` is from; absent if it is from the content. */
  readonly representation?: RepresentationKind;
  /** Offsets of `text` in that representation or in the memory's content, in UTF-16 units; only of a part. */
  readonly start?: number;
  readonly end?: number;
  /** The memories that a summary or a profile is made from; only of those. */
  readonly sources?: readonly { readonly id: string; readonly externalId?: string }[];
}

/** Number of tokens of a text; infinite for a text that takes too long to count. */
export type CountTokens = (text: string) => number;
