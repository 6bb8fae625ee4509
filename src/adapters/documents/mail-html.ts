import type { Block } from '../../domain/documents/content.ts';
import { blocksOfElement } from './html-blocks.ts';
import { childrenOf, type HtmlElement, isElement, parseFragment } from './html-dom.ts';

/** What mail programs put their quotes into, and their signatures. */
const quotes = [
  '.gmail_quote',
  '.gmail_quote_container',
  '.yahoo_quoted',
  'blockquote[type="cite"]',
  '.moz-cite-prefix',
  '.protonmail_quote',
  '#divRplyFwdMsg',
  '#appendonsend',
  '#OLK_SRC_BODY_SECTION',
  '.WordSection1 > div[style*="border-top"]',
  'blockquote',
].join(',');
const signatures =
  '.gmail_signature,.moz-signature,#Signature,#ms-outlook-mobile-signature,.protonmail_signature_block';
/** In Outlook, what is quoted follows on the head of the quoted message. */
const heads = '#divRplyFwdMsg,#appendonsend';
const footer =
  /\b(?:unsubscribe|view (?:this email )?in (?:your )?browser|manage (?:your )?preferences|abbestellen|abmelden|im browser (?:ansehen|öffnen))\b/i;

/** Splits the HTML of a message into what it says, and then what it quotes and its signature as boilerplate. */
export function blocksOfMailHtml(html: string): Block[] {
  const root = parseFragment(html);
  const aside: Block[] = [];
  for (const head of root.querySelectorAll(heads)) {
    for (const follower of followersOf(head)) moveTo(aside, follower);
  }
  for (const part of [...root.querySelectorAll(quotes), ...root.querySelectorAll(signatures)]) {
    // Parts of a quote that was moved are gone with it.
    if (root === part || part.closest('html') === null) continue;
    moveTo(aside, part);
  }
  const said = blocksOfElement(root).map((block): Block =>
    isFooter(block) ? { ...block, isBoilerplate: true } : block,
  );
  return [...said, ...aside];
}

function moveTo(blocks: Block[], part: HtmlElement): void {
  for (const block of blocksOfElement(part)) blocks.push({ ...block, isBoilerplate: true });
  part.remove();
}

function followersOf(element: HtmlElement): HtmlElement[] {
  const parent = element.parentElement;
  const siblings = parent ? [...childrenOf(parent)].filter(isElement) : [];
  return siblings.slice(siblings.indexOf(element) + 1);
}

function isFooter(block: Block): boolean {
  return block.kind === 'text' && block.text.length < 400 && footer.test(block.text);
}
