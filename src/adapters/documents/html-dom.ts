import { parseHTML } from 'linkedom';
import { Problem } from '../../domain/problems.ts';

/** What the readers use of a DOM node. The types of the browser are not part of this project. */
export interface HtmlNode {
  readonly nodeType: number;
  readonly firstChild: HtmlNode | null;
  readonly nextSibling: HtmlNode | null;
  readonly parentElement: HtmlElement | null;
  readonly textContent: string;
}

export interface HtmlElement extends HtmlNode {
  readonly localName: string;
  readonly children: Iterable<HtmlElement> & { readonly length: number };
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  querySelector(selector: string): HtmlElement | null;
  querySelectorAll(selector: string): Iterable<HtmlElement>;
  closest(selector: string): HtmlElement | null;
  remove(): void;
}

export interface HtmlDocument extends HtmlElement {
  readonly documentElement: HtmlElement | null;
}

const elementType = 1;
const textType = 3;
const cdataType = 4;

/** Elements within each other. Browsers stop at 512; the work of parser and readers grows with the square of the depth. */
const maxDepth = 1_000;

/**
 * Parses a page or a fragment. The parser adds no elements, so that a page without `<body>` has none. Throws a `Problem` if elements are
 * nested too deeply.
 */
export function parseDocument(html: string): HtmlDocument {
  assertShallow(html);
  return parseHTML(html).document;
}

/** Elements whose content is text, such as code with `i<n`. */
const textual = new Set(['script', 'style', 'textarea', 'title']);
/** Elements without an end, or that the next element may end. */
const endless = new Set(
  (
    'area base br col embed hr img input link meta param source track wbr ' +
    'p li dt dd option optgroup tr td th thead tbody tfoot colgroup rp rt'
  ).split(' '),
);

function assertShallow(html: string): void {
  const tag = /<!--|<(\/?)([a-z][a-z\d-]*)([^<>]*)/gi;
  let depth = 0;
  for (let found = tag.exec(html); found; found = tag.exec(html)) {
    const [start, slash = '', written = '', rest = ''] = found;
    const name = written.toLowerCase();
    const isOpening = slash === '';
    if (start === '<!--' || (isOpening && textual.has(name))) {
      const end = start === '<!--' ? /-->/g : new RegExp(`</${name}`, 'gi');
      end.lastIndex = tag.lastIndex;
      if (!end.test(html)) return;
      tag.lastIndex = end.lastIndex;
    } else if (!endless.has(name) && !rest.endsWith('/')) {
      depth = isOpening ? depth + 1 : Math.max(0, depth - 1);
      if (depth > maxDepth)
        throw new Problem('document-unreadable', `more than ${maxDepth} elements are nested in each other`);
    }
  }
}

/** Parses a page or a fragment below one element. The wrapper keeps text that stands outside any element. */
export function parseFragment(html: string): HtmlElement {
  const { documentElement } = parseDocument(`<!doctype html><html>${html}</html>`);
  if (documentElement === null) throw new Error('the parser made no element');
  return documentElement;
}

export function isElement(node: HtmlNode): node is HtmlElement {
  return node.nodeType === elementType;
}

export function isText(node: HtmlNode): boolean {
  return node.nodeType === textType || node.nodeType === cdataType;
}

export function* childrenOf(node: HtmlNode): Generator<HtmlNode> {
  for (let child = node.firstChild; child !== null; child = child.nextSibling) yield child;
}

export function classOf(element: HtmlElement): string {
  return element.getAttribute('class') ?? '';
}

/** Elements that a browser shows nothing of, or nothing that is text of the document. */
const unread = new Set(
  (
    'script style template noscript title meta link base svg canvas iframe object embed applet audio video map ' +
    'input select textarea button option datalist progress meter dialog rp rt frameset noframes'
  ).split(' '),
);

const hiddenStyle = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all)/i;
const hiddenClass =
  /(?:^|\s)(?:sr-only|visually-?hidden|screen-reader(?:-only|-text)?|d-none|is-hidden|line-?nos?|lineno|blob-num|rouge-gutter|gutter|mw-editsection|headerlink|anchorjs-link|anchor-link|copy-?btn)(?:\s|$)/i;
/** Elements of a page that are hidden from screen readers because a dialog was open are still read. */
const decorations = new Set(['span', 'i', 'b', 'em', 'a', 'small', 'sup']);

/** Tells whether a browser shows no text for this element. */
export function isHidden(element: HtmlElement): boolean {
  const { localName } = element;
  if (unread.has(localName)) return !(localName === 'dialog' && element.hasAttribute('open'));
  const hidden = element.getAttribute('hidden');
  if (hidden !== null && hidden !== 'until-found') return true;
  if (hiddenStyle.test(element.getAttribute('style') ?? '')) return true;
  if (localName !== 'pre' && localName !== 'code' && hiddenClass.test(classOf(element))) return true;
  return decorations.has(localName) && element.getAttribute('aria-hidden') === 'true';
}
