import { childrenOf, classOf, type HtmlElement, isElement, isHidden, isText } from './html-dom.ts';

/** Roles of ARIA and elements that stand around the text of a page. */
const aroundRoles = new Set([
  'navigation',
  'banner',
  'contentinfo',
  'complementary',
  'search',
  'dialog',
  'alertdialog',
  'menu',
  'menubar',
  'tablist',
  'toolbar',
]);
/** A word of a class or id, between hyphens, underscores or capitals, that names what stands around the text. */
const aroundWords =
  /^(?:cookies?|consent|gdpr|ccpa|cmp|onetrust|newsletters?|subscri(?:be|ption)|signup|optin|sidebar|sidenav|breadcrumbs?|nav|navbar|navi|navigation|menus?|topbar|masthead|pagination|pager|prevnext|share|shares|sharing|sharethis|addtoany|social|socials|related|recommend(?:ed|ations?)|promos?|promotions?|advert(?:s|isements?|ising)?|ads?|adsense|sponsor(?:s|ed)?|popups?|popover|modal|lightbox|paywall|regwall|login|toc|comments?|disqus|skip|skiplinks?|colophon|imprint|copyright|backtotop|widgets?|trending|popular|teasers?|tags?cloud|taglist|printonly|noprint|toolbar|hotline|chatbot|languageswitcher)$/;
/** Several words together. */
const aroundPhrases =
  /(?:^|[\s_-])(?:(?:cookie|consent|privacy)[_-]?(?:banner|bar|notice|popup|dialog)|(?:site|page|global|main)[_-]?(?:header|footer|nav|menu)|foot(?:er|note-nav)|(?:version|outdated|unmaintained|old|announcement|promo|alert|top)[_-]?(?:warning|banner|bar|notice|alert|switcher|picker|select(?:or)?)|announcement|most[_-]?(?:read|viewed|popular)|read[_-]?(?:next|more)|more[_-]?(?:from|stories|articles)|you[_-]?(?:may|might)|see[_-]?also[_-]?box|edit[_-]?(?:this[_-]?)?page|was[_-]?this|page[_-]?(?:feedback|nav)|author[_-]?(?:bio|box|card)|back[_-]?to[_-]?top|left[_-]?col(?:umn)?|right[_-]?(?:rail|col(?:umn)?)|post[_-]?(?:nav|navigation|tags))(?:$|[\s_-])/i;
const notes =
  /note|tip|warning|caution|important|admonition|callout|info|hint|danger|example|pull-?quote|sidenote|margin/i;
/** What contains one of these is no box beside the text, whatever its class is. */
const contents = 'main,article,h1,[role="main"]';
const wordsOfText = 150;

/** How strictly elements are judged: by their tags and roles, or by their classes and words too. */
export type Strictness = 'tags' | 'classes';

/**
 * Removes what stands around the text of a page: navigation, banners, sidebars, footers, boxes for sharing, and lists of links.
 * Changes the tree below `root`.
 */
export function removeBoilerplate(root: HtmlElement, strictness: Strictness): void {
  const total = wordsIn(root);
  const visit = (parent: HtmlElement, isInContent: boolean, depth: number): void => {
    if (depth > 400) return;
    // A copy: an element that is removed has no next sibling.
    for (const child of Array.from(childrenOf(parent))) {
      if (!isElement(child)) continue;
      if (isHidden(child) || isAround(child, isInContent, strictness, total)) child.remove();
      else visit(child, isInContent || isContent(child), depth + 1);
    }
  };
  visit(root, false, 0);
}

/** Share of the letters of an element that are in links, from 0 to 1. */
export function linkShare(element: HtmlElement): number {
  const all = lettersIn(element.textContent);
  if (all === 0) return 0;
  let linked = 0;
  for (const link of element.querySelectorAll('a')) linked += lettersIn(link.textContent);
  return Math.min(1, linked / all);
}

export function wordsIn(element: HtmlElement): number {
  return element.textContent.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
}

function isContent(element: HtmlElement): boolean {
  return (
    element.localName === 'main' || element.localName === 'article' || element.getAttribute('role') === 'main'
  );
}

function isAround(
  element: HtmlElement,
  isInContent: boolean,
  strictness: Strictness,
  total: number,
): boolean {
  const { localName } = element;
  if (/^(?:html|body|main|article)$/.test(localName) || element.getAttribute('role') === 'main') return false;
  const hasContent = element.querySelector(contents) !== null;
  if (localName === 'nav') return true;
  if (localName === 'aside') return !hasContent && !(isInContent && isNote(element));
  if (localName === 'footer')
    return !hasContent && element.closest('blockquote') === null && !(isInContent && isProse(element));
  if (localName === 'header') return !isInContent && !hasContent;
  if (aroundRoles.has(element.getAttribute('role') ?? '')) return !hasContent;
  if (strictness === 'tags' || hasContent) return false;
  if (isNamedAround(element) && !isMostOf(element, total)) return true;
  if (isVersionBanner(element)) return true;
  if (isLinkBox(element, isInContent)) return true;
  return isBoxUnderHeading(element);
}

function isNote(aside: HtmlElement): boolean {
  const named = `${classOf(aside)} ${aside.getAttribute('aria-label') ?? ''} ${aside.getAttribute('role') ?? ''}`;
  if (isNamedAround(aside) || boxHeading.test(firstLineOf(aside))) return false;
  return notes.test(named) || isProse(aside);
}

/** Sentences rather than links. */
function isProse(element: HtmlElement): boolean {
  return linkShare(element) < 0.3 && wordsIn(element) > 8 && !boilerplateLine.test(firstLineOf(element));
}

function isNamedAround(element: HtmlElement): boolean {
  // Code, tables and headings keep classes of highlighters and of themes.
  if (
    /^(?:pre|code|table|tbody|tr|td|th|span|em|strong|b|i|h[1-6]|dl|dt|dd|p|figure|img)$/.test(
      element.localName,
    )
  )
    return false;
  const named = `${classOf(element)} ${element.getAttribute('id') ?? ''}`.trim();
  if (named === '') return false;
  if (aroundPhrases.test(named)) return true;
  return (
    named
      .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
      .toLowerCase()
      .split(/\s+/)
      // "has-sidebar" and "with-nav" are said of what stands beside them, and "nav-tabs-content" of the content of tabs.
      .filter(
        (name) =>
          !/^(?:has|with|no|is|show|hide|js|without)-|(?:content|body|wrapper|container|inner|main|text)$/.test(
            name,
          ),
      )
      .some((name) => name.split(/[^a-z]+/).some((word) => aroundWords.test(word)))
  );
}

function isMostOf(element: HtmlElement, total: number): boolean {
  const words = wordsIn(element);
  return words > wordsOfText && words > total / 2 && linkShare(element) < 0.3;
}

const readingVersion =
  /\b(?:you(?:'|’)?(?:re| are) (?:currently )?(?:reading|viewing|looking at|browsing)|this (?:page|documentation|manual|document) (?:is|describes|covers)|(?:sie|du) (?:lesen|liest|sehen|siehst)|diese (?:seite|dokumentation))\b[^.]*\b(?:version|v\d|release|docs|documentation|manual|dokumentation|handbuch)\b/i;
const otherVersion =
  /\b(?:old(?:er)?|outdated|unreleased|development|newer|latest|previous|unmaintained|no longer|version \d|veraltet|aktuelle)\b/i;

/** Warnings that the manual is of another version are about the site, and what they say of the other version is not true of this one. */
function isVersionBanner(element: HtmlElement): boolean {
  if (!/^(?:div|p|section|aside)$/.test(element.localName)) return false;
  if (element.querySelector('pre,table,h2,h3') !== null || wordsIn(element) > 60) return false;
  const text = element.textContent.replaceAll(/\s+/g, ' ').trim();
  return readingVersion.test(text.slice(0, 120)) && otherVersion.test(text);
}

/** Menus of pages that have no `nav`: nearly all words are in links, and none of them is a sentence. */
function isLinkBox(element: HtmlElement, isInContent: boolean): boolean {
  if (
    isInContent ||
    !/^(?:ul|ol|div|td|th|p|section|center|font|table|tr|tbody|dl|form)$/.test(element.localName)
  )
    return false;
  const links = [...element.querySelectorAll('a')];
  if (links.length < 3 || element.querySelector('h1,h2,pre') !== null) return false;
  const words = wordsIn(element);
  if (words / links.length > 8) return false;
  return linkShare(element) > 0.7 && !/[\p{L}]{2,}[.!?](?:\s|$)/u.test(element.textContent.trim());
}

/** Titles of boxes that are not part of the text. */
const boxHeading =
  /^(?:most (?:read|popular|viewed)|popular (?:posts|articles|now)|trending|related|similar|you (?:may|might) (?:also )?(?:like|enjoy|be interested)|recommended|read (?:next|more|also)|more (?:from|stories|articles|on this)|latest (?:news|posts)|recent posts|share(?: this)?|follow us|newsletter|subscribe|sign up|stay (?:in touch|up to date)|never miss|join our|get our|advertisement|sponsored|special offer|offer$|leave a (?:comment|reply)|comments?$|\d+ comments|about the author|on this page$|in this article$|table of contents$|contents$|was this (?:page|article) helpful|cookie|we (?:use|value) (?:cookies|your privacy)|meist ?gelesen|das könnte sie|mehr (?:zum thema|lesen|artikel|aus)|ähnliche|verwandte|teilen|folgen sie|abonnieren|anzeige$|werbung$|kommentare|inhaltsverzeichnis$|war dieser)/i;

/** A section or div with such a title of its own, but no section that goes on for long. */
function isBoxUnderHeading(element: HtmlElement): boolean {
  if (!/^(?:section|div|aside|ul|form)$/.test(element.localName)) return false;
  const first = firstElementOf(element);
  if (!first || !/^(?:h[1-6]|strong|b|p|span|header|div|summary)$/.test(first.localName)) return false;
  const title = first.textContent.replaceAll(/\s+/g, ' ').trim();
  if (title.length > 60 || !boxHeading.test(title)) return false;
  // The first heading of a page's text may be called like this, and then more headings follow.
  return (
    [...element.querySelectorAll('h1,h2,h3,h4,h5,h6')].length <= 2 &&
    (linkShare(element) > 0.4 || wordsIn(element) < 80)
  );
}

function firstElementOf(element: HtmlElement): HtmlElement | undefined {
  for (const child of childrenOf(element)) {
    if (isText(child) && child.textContent.trim() !== '') return undefined;
    if (isElement(child) && child.textContent.trim() !== '') return child;
  }
  return undefined;
}

function firstLineOf(element: HtmlElement): string {
  return element.textContent.trim().split('\n')[0]?.trim() ?? '';
}

function lettersIn(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}

/** Short lines that pages have around their text, whatever they are about. */
export const boilerplateLine =
  /^(?:©|\(c\)|copyright\b|all rights reserved|terms (?:of|&|and|·)|privacy\b|impressum\b|imprint\b|datenschutz\b|back to top|nach oben|top of page|skip to|zum inhalt|advertisement$|anzeige$|share (?:this|on)|print(?: this)?$|subscribe\b|sign up\b|log ?in$|accept all|alle akzeptieren|(?:we|this (?:web)?site|diese (?:web)?seite|wir) (?:and our|use|uses|verwende[nt]?|nutz(?:t|en)) .*cookies?|by continuing|please enable javascript|loading(?:…|\.\.\.)?$|last (?:updated|modified|changed|edited)|letzte änderung|zuletzt (?:geändert|aktualisiert)|stand:|(?:visitors?|besucher|hits|counter)\b.*\d|best viewed|optimi[sz](?:ed|iert) (?:for|für)|powered by|built with|generated by|made with|edit (?:this page|on github)|read more$|mehr lesen$|weiterlesen$|previous$|next$|zurück$|weiter$|home$|startseite$|menu$|menü$)/i;
/** Such words inside a short line at the end of a page are enough. */
export const boilerplateEnd =
  /optimi(?:ert|zed|sed) (?:für|for)|besucher nr|all rights reserved|alle rechte vorbehalten|visitors? (?:since|no)|©\s*\d{4}|^\W*(?:terms|privacy|imprint|impressum|kontakt|contact|cookies?)\b[^.]{0,80}$/i;
