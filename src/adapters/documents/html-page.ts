import { dateInLine, timestampOf } from './dates.ts';
import { type HtmlElement, isHidden } from './html-dom.ts';
import { lineOfElement } from './html-blocks.ts';

/** What the head of a page says of it. */
export interface PageFacts {
  readonly title?: string;
  readonly language?: string;
  readonly occurredAt?: string;
  readonly contentType: 'article' | 'documentation' | 'api_reference';
  readonly metadata: Readonly<Record<string, unknown>>;
}

const published = [
  'article:published_time',
  'og:published_time',
  'datepublished',
  'citation_publication_date',
  'dc.date.issued',
  'dcterms.issued',
  'dcterms.created',
  'dc.date',
  'dcterms.date',
  'publish-date',
  'publishdate',
  'pubdate',
  'date',
  'parsely-pub-date',
  'sailthru.date',
];
const separators = /\s+(?:[|–—·»«]|::|-)\s+|\s*\|\s*/;
const generators =
  /sphinx|docusaurus|mkdocs|mdbook|vitepress|vuepress|starlight|gitbook|antora|doxygen|javadoc|jsdoc|typedoc|rustdoc|docfx|hugo-book|docsy|readme\.io|asciidoctor|docbook|slate|redoc|swagger|pdoc|yard/i;
const references = /doxygen|javadoc|jsdoc|typedoc|rustdoc|docfx|redoc|swagger|pdoc|yard/i;
const docWords =
  /\b(?:documentation|docs|manual|reference|user guide|developer guide|dokumentation|handbuch|referenz)\b/i;
const referenceWords =
  /\b(?:api|sdk)\b.*\b(?:reference|docs|documentation)\b|\bapi$|\breference$|^class [\w.]+|\bendpoints?\b|\(\)/i;

export function factsOf(page: HtmlElement): PageFacts {
  const meta = metaOf(page);
  const data = linkedDataOf(page);
  const site = meta.get('og:site_name') ?? meta.get('application-name');
  const title = titleOf(page, meta, site);
  const occurredAt = dateOf(page, meta, data);
  const language = /^[a-z]{2,3}(?=-|_|$)/i.exec(languageAttributeOf(page, meta))?.[0]?.toLowerCase();
  const described = {
    description: meta.get('description') ?? meta.get('og:description'),
    author: meta.get('author') ?? meta.get('article:author') ?? meta.get('dc.creator'),
    siteName: site,
    url: page.querySelector('link[rel="canonical"]')?.getAttribute('href') ?? meta.get('og:url'),
    modified: timestampOf(meta.get('article:modified_time') ?? data['dateModified']),
  };
  return {
    ...(title === undefined ? {} : { title }),
    ...(language === undefined ? {} : { language }),
    ...(occurredAt === undefined ? {} : { occurredAt }),
    contentType: typeOf(page, meta, data, title),
    metadata: Object.fromEntries(
      Object.entries(described).filter(([, value]) => value !== undefined && value !== ''),
    ),
  };
}

/** The name of a page is in `og:title`, in its first heading, and with the name of the site in `<title>`. */
function titleOf(
  page: HtmlElement,
  meta: ReadonlyMap<string, string>,
  site: string | undefined,
): string | undefined {
  const full = lineOf(page.querySelector('head title') ?? page.querySelector('title'));
  const named = meta.get('og:title') ?? meta.get('twitter:title') ?? '';
  const heading = headingOf(page, site);
  if (
    heading !== '' &&
    (named === '' || named.startsWith(heading) || heading.startsWith(named)) &&
    !isNameOf(heading, full)
  )
    return heading;
  const written = named === '' ? full : named;
  if (heading !== '' && !written.includes(heading) && named === '') return heading;
  return withoutSite(written, site) || heading || undefined;
}

/** The first heading of the text. Sites have their own name as a heading too, in the header of each page. */
function headingOf(page: HtmlElement, site: string | undefined): string {
  const headings = ['main h1', 'article h1', '[role="main"] h1', 'h1'].flatMap((selector) => [
    ...page.querySelectorAll(selector),
  ]);
  for (const heading of headings) {
    const line = isHidden(heading) ? '' : lineOfElement(heading);
    if (line !== '' && line !== site) return line;
  }
  return '';
}

/** Tells whether a heading is the name of the site: it ends the title of the page, after the name of the page. */
function isNameOf(heading: string, full: string): boolean {
  const parts = full.split(separators);
  return parts.length > 1 && parts.at(-1) === heading && parts[0] !== heading;
}

function withoutSite(title: string, site: string | undefined): string {
  const parts = title.split(separators).filter((part) => part !== '');
  if (parts.length < 2) return title.trim();
  if (site !== undefined && parts[0] === site) return title.slice(title.indexOf(parts[1] ?? '')).trim();
  // The name of the site follows on the last separator. It may hold hyphens, and so may the title.
  const last = parts.at(-1) ?? '';
  return title
    .slice(0, title.lastIndexOf(last))
    .replace(/\s*(?:[|–—·»«-]|::)\s*$/, '')
    .trim();
}

function dateOf(
  page: HtmlElement,
  meta: ReadonlyMap<string, string>,
  data: Readonly<Record<string, string>>,
): string | undefined {
  for (const written of [
    ...published.map((name) => meta.get(name)),
    data['datePublished'],
    data['dateCreated'],
  ]) {
    const time = timestampOf(written);
    if (time !== undefined) return time;
  }
  const marked = page.querySelector(
    '[itemprop="datePublished"],time[pubdate],article header time,time.published,time.entry-date,article time',
  );
  const time = timestampOf(marked?.getAttribute('datetime') ?? marked?.getAttribute('content'));
  if (time !== undefined) return time;
  const byline = page.querySelector(
    '.byline,.dateline,.published,.pubdate,.post-date,.entry-date,.post-meta,.article-meta,.entry-meta,.date,[itemprop="datePublished"]',
  );
  return byline === null ? undefined : dateInLine(byline.textContent.slice(0, 300));
}

function languageAttributeOf(page: HtmlElement, meta: ReadonlyMap<string, string>): string {
  const written =
    page.querySelector('html[lang],body[lang]')?.getAttribute('lang') ??
    page.querySelector('html')?.getAttribute('xml:lang');
  return written ?? meta.get('content-language') ?? meta.get('og:locale') ?? '';
}

function typeOf(
  page: HtmlElement,
  meta: ReadonlyMap<string, string>,
  data: Readonly<Record<string, string>>,
  title: string | undefined,
): PageFacts['contentType'] {
  const full = lineOf(page.querySelector('title'));
  const generator = `${meta.get('generator') ?? ''} ${meta.get('docsearch:version') === undefined ? '' : 'docusaurus'}`;
  const named = `${title ?? ''} ${full}`;
  const isReference =
    references.test(generator) || data['@type'] === 'APIReference' || referenceWords.test(title ?? '');
  if (/^(?:News|Blog|Reportage|Opinion|Review)?(?:Article|Posting)$/.test(data['@type'] ?? ''))
    return 'article';
  const signs = [
    generators.test(generator),
    data['@type'] === 'TechArticle' || data['@type'] === 'APIReference',
    docWords.test(full),
    /\bversion[-_]?(?:warning|switch|picker|select|banner)|\bdocs?[-_]?(?:content|page|main|sidebar|wrapper)/i.test(
      classesOf(page),
    ),
    page.querySelector('dt code,dt.sig,.toctree-wrapper,nav.toc,nav.toctree') !== null,
    [...page.querySelectorAll('pre')].length > 2,
    /^\s*(?:article)\s*$/i.test(meta.get('og:type') ?? '')
      ? undefined
      : [...page.querySelectorAll('main code,article code,p code')].length > 8,
  ].filter((sign) => sign === true).length;
  if (isReference && (signs > 0 || referenceWords.test(named))) return 'api_reference';
  return signs >= 2 || generators.test(generator) ? 'documentation' : 'article';
}

function classesOf(page: HtmlElement): string {
  return [...page.querySelectorAll('body,body > *,body > * > *')]
    .slice(0, 50)
    .map((element) => `${element.getAttribute('class') ?? ''} ${element.getAttribute('id') ?? ''}`)
    .join(' ');
}

/** By name in lower case; the first one of a name counts. */
function metaOf(page: HtmlElement): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const element of page.querySelectorAll('meta')) {
    const name = ['name', 'property', 'itemprop', 'http-equiv']
      .map((attribute) => element.getAttribute(attribute))
      .find((value) => value);
    const content = element.getAttribute('content')?.replaceAll(/\s+/g, ' ').trim();
    if (name && content && !found.has(name.toLowerCase())) found.set(name.toLowerCase(), content);
  }
  return found;
}

/** The strings of the first object of JSON-LD that has a date or is about an article. */
function linkedDataOf(page: HtmlElement): Readonly<Record<string, string>> {
  for (const script of page.querySelectorAll('script[type="application/ld+json"]')) {
    for (const node of nodesOf(parsed(script.textContent))) {
      const strings = Object.entries(node).map(([key, value]): [string, unknown] => [
        key,
        Array.isArray(value) ? value[0] : value,
      ]);
      const data = Object.fromEntries(
        strings.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      );
      if (data['datePublished'] !== undefined || /Article|Posting|APIReference/.test(data['@type'] ?? ''))
        return data;
    }
  }
  return {};
}

function nodesOf(value: unknown): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.flatMap(nodesOf);
  if (typeof value !== 'object' || value === null) return [];
  const node = value as Record<string, unknown>;
  return [node, ...nodesOf(node['@graph'] ?? [])];
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function lineOf(element: HtmlElement | null): string {
  return element?.textContent.replaceAll(/\s+/g, ' ').trim() ?? '';
}
