import type { Nodes, Parents, RootContent } from 'mdast';

/** A replacement of a part of the source. Edits of one node do not overlap. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** `[[target]]`, `[[target|alias]]` and embedded `![[target]]`; in a table the bar is escaped. */
const WIKILINK = /(!?)\[\[([^\][|\n]+?)(?:\\?\|([^\][\n]*?))?\]\]/g;
const IMAGE = /\.(?:png|jpe?g|gif|svg|webp|bmp|avif)$/i;
/** Elements whose content is not for reading. */
const HIDDEN = /<(script|style|template)\b[\s\S]*?<\/\1\s*>/gi;
const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
const BLOCK_END = /<(?:br|\/p|\/div|\/li|\/tr|\/h[1-6]|\/summary)\b[^>]*>/gi;
const CELL_END = /<\/t[dh]\s*>\s*(?=<t[dh])/gi;
const TAG = /<\/?[a-z][^<>]*>/gi;

/**
 * The source of a node for reading: links and images as their texts, wikilinks as their aliases, HTML without its tags, comments and
 * marks of footnotes left out, headings within quotes and lists as bold text. All other marks of Markdown stay.
 */
export function readableSource(source: string, node: Nodes): string {
  return applied(source, spanOf(node), editsOf(source, node)).trim();
}

/** The same for the content of a node alone, such as a cell or a heading without its marks. */
export function readableContent(source: string, node: Parents): string {
  const [first, last] = [node.children[0], node.children.at(-1)];
  if (!first || !last) return '';
  const edits = node.children.flatMap((child) => editsOf(source, child));
  return applied(source, { start: spanOf(first).start, end: spanOf(last).end }, edits).trim();
}

/** The text of a node without marks, on one line. */
export function plainText(node: Nodes): string {
  return textsOf(node).join('').replaceAll(/\s+/g, ' ').trim();
}

/** What can be read of HTML within Markdown. */
export function htmlText(html: string): string {
  return html
    .replace(COMMENT, '')
    .replace(HIDDEN, '')
    .replace(CELL_END, ' | ')
    .replace(BLOCK_END, '\n')
    .replace(TAG, '')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/[ \t]*\n\s*/g, '\n')
    .trim();
}

function textsOf(node: Nodes): string[] {
  if (node.type === 'text') return [unlinked(node.value)];
  if (node.type === 'inlineCode') return [node.value];
  if (node.type === 'image' || node.type === 'imageReference') return [node.alt ?? ''];
  if (node.type === 'break') return [' '];
  return 'children' in node ? node.children.flatMap(textsOf) : [];
}

function unlinked(text: string): string {
  return text.replaceAll(WIKILINK, (_, embedded: string, target: string, alias: string | undefined) => {
    if (embedded && IMAGE.test(target)) return '';
    return (alias?.trim() || target).trim();
  });
}

function editsOf(source: string, node: Nodes): Edit[] {
  const edit = editOf(source, node);
  if (edit) return [{ ...spanOf(node), text: edit.text }];
  return 'children' in node
    ? (node.children as RootContent[]).flatMap((child) => editsOf(source, child))
    : [];
}

/** What replaces a node as a whole; `undefined` if it stays but for its children. */
function editOf(source: string, node: Nodes): { text: string } | undefined {
  const { start, end } = spanOf(node);
  switch (node.type) {
    case 'link':
      return { text: linkText(source.slice(start, end), readableContent(source, node), node.url) };
    case 'linkReference':
      return { text: readableContent(source, node) };
    case 'image':
    case 'imageReference':
      return { text: node.alt ?? '' };
    case 'footnoteReference':
    case 'definition':
      return { text: '' };
    case 'html':
      return { text: htmlText(node.value) || (/^<br\b/i.test(node.value) ? ' ' : '') };
    case 'text': {
      const written = source.slice(start, end);
      return { text: unlinked(written) };
    }
    case 'heading':
      return { text: `**${plainText(node)}**` };
    default:
      return undefined;
  }
}

/** A bare or bracketed URL stays, since it is all that can be read. */
function linkText(written: string, content: string, url: string): string {
  if (written.startsWith('[')) return content || url;
  return written.replace(/^<(.*)>$/, '$1');
}

function applied(
  source: string,
  { start, end }: { start: number; end: number },
  edits: readonly Edit[],
): string {
  const parts: string[] = [];
  let at = start;
  for (const edit of edits) {
    if (edit.start < at || edit.end > end) continue;
    parts.push(source.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  return [...parts, source.slice(at, end)].join('');
}

/** Offsets within the source; the parser sets them for every node. */
function spanOf(node: Nodes): { start: number; end: number } {
  return { start: node.position?.start.offset ?? 0, end: node.position?.end.offset ?? 0 };
}
