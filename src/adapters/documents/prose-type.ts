import type { Block } from '../../domain/documents/content.ts';

/** A text by people for people, of which only its form is known. */
export interface Prose {
  readonly blocks: readonly Block[];
  readonly source: string;
  readonly title?: string | undefined;
}

const titles: readonly (readonly [type: string, pattern: RegExp])[] = [
  ['release_notes', /\b(?:change ?log|release notes|what'?s new)\b/i],
  ['note', /\b(?:memo|minutes|meeting notes|notes (?:of|from|on)|journal|diary|to-?do|protokoll|notizen)\b/i],
  [
    'guide',
    /\b(?:guide|guidelines?|how[ -]to|tutorial|handbook|playbook|runbook|walkthrough|getting started|cookbook|leitfaden|anleitung|handbuch|ratgeber|guía|manuel)\b|手引|入門|ガイド|指南|教程/i,
  ],
];
/** Below these, a text is no article. */
const LONG_PROSE = 4000;
const LONG_PARAGRAPH = 280;
/** Headings below the title that a documentation has at least. */
const STRUCTURED = 3;

/**
 * The kind of a text by its form: notes are linked, tagged or short; documentation has headings; an article is long prose. What the
 * title says comes first.
 */
export function typeOfProse({ blocks, source, title }: Prose): string {
  const [named] = titles.find(([, pattern]) => pattern.test(title ?? '')) ?? [];
  if (named !== undefined) return named;
  if (isOfVault(source)) return 'note';
  const headings = blocks.filter((block) => block.kind === 'heading' && block.level > 1).length;
  const texts = blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : []));
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  const isStructured = blocks.some(({ kind }) => kind === 'code' || kind === 'table');
  if (length > LONG_PROSE && !isStructured && length / (headings + 1) > LONG_PROSE / 4 && isProse(texts))
    return 'article';
  if (headings >= STRUCTURED || (isStructured && headings >= 1))
    return stepsIn(texts) ? 'guide' : 'documentation';
  return 'note';
}

/** Wikilinks and tags outside code, where brackets and number signs mean other things. */
function isOfVault(source: string): boolean {
  const prose = source
    .replaceAll(/^(```+|~~~+)[\s\S]*?(?:^\1|$(?![\s\S]))/gm, '')
    .replaceAll(/`[^`\n]*`/g, '');
  return /\[\[[^\][\n]+\]\]/.test(prose) || /(?:^|\s)#[a-z][\w/-]*(?=\s*$|\s+#[a-z])/m.test(prose);
}

function isProse(texts: readonly string[]): boolean {
  const long = texts.filter((text) => text.length >= LONG_PARAGRAPH);
  return (
    long.reduce((sum, text) => sum + text.length, 0) > texts.reduce((sum, text) => sum + text.length, 0) / 2
  );
}

/** Whether numbered steps make up a good part of it. */
function stepsIn(texts: readonly string[]): boolean {
  return texts.filter((text) => /^1[.)] [\s\S]*\n2[.)] /.test(text)).length >= 2;
}
