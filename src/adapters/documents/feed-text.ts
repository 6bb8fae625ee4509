import { markdownOf } from './blocks-markdown.ts';
import { blocksOfHtml } from './html-blocks.ts';
import { decodeEntities } from './xml.ts';
import { withoutControls } from './windows-1252.ts';

/** Tags of HTML alone: `List<T>` is text. */
const tag =
  /<\/?(?:a|abbr|article|aside|b|big|blockquote|body|br|caption|center|cite|code|dd|del|details|div|dl|dt|em|figcaption|figure|font|footer|h[1-6]|header|hr|html|i|iframe|img|ins|kbd|li|main|mark|ol|p|picture|pre|q|s|samp|section|small|span|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|var|video)(?:\s[^<>]*)?\/?>/i;
const entity = /&(?:[a-z]{2,8}|#\d{1,6}|#x[0-9a-f]{1,5});/i;
/** Closing tags of HTML in a text that has been read: it was escaped once more than the rest. */
const leftTag =
  /<\/(?:p|div|ul|ol|li|table|h[1-6]|blockquote|b|i|em|strong|a|span|code|pre)>|<(?:p|br)\s*\/?>/i;
/** Programs that pass feeds on may each escape them again. */
const maxRounds = 4;

/** The text of an entry as Markdown: HTML, however often it was escaped, or plain text. */
export function markdownOfFeedText(written: string): string {
  let text = withoutControls(written).replaceAll(/\r\n?/g, '\n').trim();
  let wasHtml = false;
  for (let round = 0; round < maxRounds; round++) {
    if (wasHtml ? leftTag.test(text) : tag.test(text)) {
      text = markdownOf(blocksOfHtml(text));
      wasHtml = true;
    } else if (entity.test(text)) text = decodedOnce(text);
    else break;
  }
  return text
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
    .join('\n\n');
}

/** The same in one line, for titles. */
export function lineOfFeedText(written: string): string {
  return markdownOfFeedText(written).replaceAll(/\s+/g, ' ').trim();
}

/** Named entities of HTML are left to the parser of HTML, where only what it makes of them is text. */
function decodedOnce(text: string): string {
  const decoded = decodeEntities(text);
  if (decoded !== text) return decoded;
  // Only entities of HTML are left, such as `&nbsp;`.
  const [block] = blocksOfHtml(`<pre><code>${text.replaceAll('<', '&lt;')}</code></pre>`);
  return block?.kind === 'code' ? block.text : text;
}
