import type { Block, DocumentContent } from '../../domain/documents/content.ts';
import type { FileToRead } from '../../ports/document-reader.ts';
import { readChatText } from './chat-text.ts';
import { charsetOfMediaType, decodeText } from './decode.ts';
import { typeOfProse } from './prose-type.ts';

const MAX_TITLE = 100;
const MAX_HEADING = 80;
/** Lines such as `Subject: …` that say what the text is about. */
const subject =
  /^(?:subject|title|re|topic|betreff|titel|thema|objet|asunto|oggetto|件名|主题)\s*[:：]\s*(.+)$/i;
const memo =
  /^(?:memo|memorandum|note|notes|minutes|notice|report|protokoll|notiz|vermerk|aktennotiz)\b[^.!?]*[:：]\s*\S/i;
const numbered = /^(?:§\s*)?(\d{1,2}(?:\.\d{1,2})*)[.)]?\s+(\p{Lu}[^\n]*)$/u;
const sentenceEnd = /[.!?;:,。！？：、]["'”’)]*$/;

interface Paragraph {
  readonly text: string;
  readonly lines: readonly string[];
}

/** Reads plain text: paragraphs, and headings where they leave no doubt. Conversations with a time on each turn become turns. */
export function readPlain(file: FileToRead): DocumentContent {
  const { text, replacements } = decodeText(file.bytes, charsetOfMediaType(file.mediaType));
  const chat = readChatText(text);
  if (chat) return { mediaType: 'text/plain', contentType: 'conversation', ...chat, replacements };
  const { blocks, title } = plainBlocks(text);
  return {
    mediaType: 'text/plain',
    contentType: typeOfProse({ blocks, source: text, title }),
    ...(title !== undefined && { title }),
    blocks,
    replacements,
  };
}

/** The blocks of a plain text and its title, if it has one. */
export function plainBlocks(text: string): { blocks: readonly Block[]; title?: string } {
  const paragraphs = paragraphsOf(text);
  const title = titleOf(paragraphs);
  const chapters = chapterLines(paragraphs);
  const blocks = paragraphs.flatMap((paragraph, at): readonly Block[] => {
    const chapter = chapters.get(at);
    if (chapter) return [chapter];
    if (at === 0 && title === paragraph.text) return [{ kind: 'heading', level: 1, text: title }];
    return underlined(paragraph);
  });
  return { blocks, ...(title !== undefined && { title }) };
}

function paragraphsOf(text: string): readonly Paragraph[] {
  return text
    .split(/(?:\n[^\S\n]*){2,}|\f/)
    .map((part) => part.replace(/^\n+/, '').trimEnd())
    .filter((part) => part.trim() !== '')
    .map((part) => ({ text: part.trim(), lines: part.split('\n') }));
}

/** A line about the subject, or a short first line that an empty line parts from more text. */
function titleOf([first, second]: readonly Paragraph[]): string | undefined {
  if (!first) return undefined;
  const named = first.lines
    .slice(0, 6)
    .map((line) => subject.exec(line.trim())?.[1])
    .find((each) => each !== undefined);
  if (named !== undefined) return named.trim();
  const [line = '', under] = first.lines.map((each) => each.trim());
  if (isUnderline(line, under) || (memo.test(line) && line.length <= MAX_TITLE)) return line;
  const isShort =
    line.length <= MAX_TITLE && /\p{L}/u.test(line) && !sentenceEnd.test(line) && !isListItem(line);
  return first.lines.length === 1 && second && isShort ? line : undefined;
}

/** Lines that stand alone and are all written in capitals, or numbered one after another, with text between them. */
function chapterLines(paragraphs: readonly Paragraph[]): ReadonlyMap<number, Block> {
  const chapters = new Map<number, Block>();
  const capitals = paragraphs.flatMap(({ text, lines }, at) =>
    lines.length === 1 && isInCapitals(text) && at < paragraphs.length - 1 ? [at] : [],
  );
  const isCertain = capitals.length >= 2 && capitals.length <= paragraphs.length / 2 + 1;
  if (isCertain)
    for (const at of capitals)
      chapters.set(at, { kind: 'heading', level: at === 0 ? 1 : 2, text: paragraphs[at]?.text ?? '' });
  for (const [at, block] of numberedChapters(paragraphs)) chapters.set(at, block);
  return chapters;
}

/** Numbers count up from one, and text stands between them: items of a list follow each other without. */
function numberedChapters(paragraphs: readonly Paragraph[]): ReadonlyMap<number, Block> {
  const found = new Map<number, Block>();
  let [expected, lastTop] = [1, -2];
  for (const [at, { text, lines }] of paragraphs.entries()) {
    const [, number = '', name = ''] =
      lines.length === 1 && text.length <= MAX_HEADING && !sentenceEnd.test(text)
        ? (numbered.exec(text) ?? [])
        : [];
    if (number === '' || name === '') continue;
    const [top, ...below] = number.split('.').map(Number);
    if (below.length === 0) {
      if (top !== expected || at === lastTop + 1) return new Map();
      [expected, lastTop] = [expected + 1, at];
    } else if (top !== expected - 1 && top !== expected) continue;
    found.set(at, { kind: 'heading', level: Math.min(6, 2 + below.length), text });
  }
  return expected > 2 ? found : new Map();
}

/** A paragraph, cut where a line within it is underlined. */
function underlined({ lines }: Paragraph): readonly Block[] {
  const blocks: Block[] = [];
  let open: string[] = [];
  const flush = () => {
    const text = escaped(open.join('\n').trim());
    if (/[^\s=~_*-]/.test(text)) blocks.push({ kind: 'text', text });
    open = [];
  };
  for (let at = 0; at < lines.length; at += 1) {
    const [line = '', under] = [lines[at], lines[at + 1]];
    if (isUnderline(line.trim(), under?.trim())) {
      flush();
      blocks.push({ kind: 'heading', level: under?.trim().startsWith('=') ? 1 : 2, text: line.trim() });
      at += 1;
    } else open.push(line);
  }
  flush();
  return blocks;
}

/** A row of the same sign about as long as the line above it. */
function isUnderline(line: string, under: string | undefined): boolean {
  if (under === undefined || !/^(?:={3,}|-{3,}|~{3,}|\*{3,})$/.test(under)) return false;
  return (
    line.length >= 3 &&
    line.length <= MAX_HEADING &&
    /\p{L}/u.test(line) &&
    Math.abs(line.length - under.length) <= 3 + line.length / 4
  );
}

function isInCapitals(text: string): boolean {
  const letters = text.match(/\p{L}/gu) ?? [];
  return (
    text.length <= MAX_HEADING &&
    letters.length >= 4 &&
    !sentenceEnd.test(text) &&
    /^\P{Ll}+$/u.test(text) &&
    /\p{Lu}{3}/u.test(text)
  );
}

function isListItem(line: string): boolean {
  return /^(?:[-*+•–]|\d{1,3}[.)])\s/.test(line);
}

/** A number sign at the start of a line would make a heading of it in Markdown. */
function escaped(text: string): string {
  return text.replaceAll(/^(#{1,6})(?=\s)/gm, '\\$1');
}
