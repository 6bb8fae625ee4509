import type { Block, DocumentContent } from '../../domain/documents/content.ts';
import type { FileToRead } from '../../ports/document-reader.ts';
import { charsetOfMarkup, charsetOfMediaType, decodeText } from './decode.ts';
import { blocksOfElement } from './html-blocks.ts';
import {
  boilerplateEnd,
  boilerplateLine,
  linkShare,
  removeBoilerplate,
  wordsIn,
} from './html-boilerplate.ts';
import { type HtmlElement, parseFragment } from './html-dom.ts';
import { factsOf } from './html-page.ts';
import { mainTextOf } from './html-main-text.ts';
import { languageOf } from './language.ts';

/** Of a page that has a `<main>`, at least this share of its text must be in it. Some programs put hardly anything there. */
const minMainShare = 0.25;
/** A page with so many words outside of menus has a text, even if the classes of all of it sound like boilerplate. */
const minWords = 60;
const shortLine = 40;

/** Reads the text of a page without what stands around it: navigation, banners, sidebars, footers. A page of those alone has no blocks. */
export function readHtml(file: FileToRead): DocumentContent {
  const { text, replacements } = decodeText(
    file.bytes,
    charsetOfMediaType(file.mediaType) ?? charsetOfMarkup(file.bytes),
  );
  return contentOfHtml(text, replacements);
}

/** `html` is a page or a fragment. */
export function contentOfHtml(html: string, replacements: number): DocumentContent {
  const page = parseFragment(html);
  const facts = factsOf(page);
  const blocks = blocksOfPage(page, html);
  const words = blocks
    .flatMap((block) => ('text' in block && block.kind !== 'code' ? [block.text] : []))
    .join('\n');
  // Templates say `lang="en"` above texts in any language.
  const language = languageOf(words) ?? facts.language;
  return {
    mediaType: 'text/html',
    contentType: facts.contentType,
    ...(facts.title === undefined ? {} : { title: facts.title }),
    ...(language === undefined ? {} : { language }),
    ...(facts.occurredAt === undefined ? {} : { occurredAt: facts.occurredAt }),
    ...(Object.keys(facts.metadata).length === 0 ? {} : { metadata: facts.metadata }),
    blocks,
    replacements,
  };
}

/** Removes from `page` what is no text of it; `html` is its source. */
function blocksOfPage(page: HtmlElement, html: string): Block[] {
  removeBoilerplate(page, 'classes');
  const blocks = blocksOfElement(rootOf(page));
  if (wordCount(blocks) < minWords) {
    const lenient = parseFragment(html);
    removeBoilerplate(lenient, 'tags');
    const root = rootOf(lenient);
    // Only for sentences: a page of menus and banners alone has nothing to say.
    if (wordsIn(root) > 3 * minWords && linkShare(root) < 0.3) return withoutEdges(blocksOfElement(root));
    return withoutEdges(blocks);
  }
  return withoutEdges(mainTextOf(html, blocks));
}

function rootOf(page: HtmlElement): HtmlElement {
  const all = wordsIn(page);
  const articles = [...page.querySelectorAll('article')];
  for (const root of [
    page.querySelector('main,[role="main"]'),
    articles.length === 1 ? articles[0] : undefined,
  ]) {
    if (root && wordsIn(root) > all * minMainShare) return root;
  }
  return page;
}

/** Drops lines of boilerplate before and after the text, such as a copyright or a counter of visitors, and headings of nothing. */
function withoutEdges(blocks: readonly Block[]): Block[] {
  const kept = blocks.filter(
    (block) =>
      block.kind !== 'text' ||
      !isShort(block.text) ||
      !boilerplateLine.test(block.text) ||
      /[.!?]\s+\p{Lu}/u.test(block.text),
  );
  let end = kept.length;
  while (end > 0 && isEnd(kept[end - 1])) end -= 1;
  return kept.slice(0, end).some((block) => block.kind !== 'heading') ? kept.slice(0, end) : [];
}

function isEnd(block: Block | undefined): boolean {
  return (
    block?.kind === 'text' &&
    isShort(block.text) &&
    (boilerplateLine.test(block.text) || boilerplateEnd.test(block.text))
  );
}

function isShort(text: string): boolean {
  return text.split(/\s+/).length <= shortLine;
}

function wordCount(blocks: readonly Block[]): number {
  const texts = blocks.map((block) => (block.kind === 'table' ? block.rows.flat().join(' ') : block.text));
  return texts.join(' ').match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
}
