/** A page or a further sitemap that a sitemap lists. */
export interface ListedPage {
  readonly url: string;
  /** When it last changed: a date stands for its end. */
  readonly changedAt?: Date | undefined;
}

export interface Sitemap {
  readonly kind: 'pages' | 'sitemaps';
  readonly entries: readonly ListedPage[];
  /** Whether it has an end, and so was read whole. */
  readonly isWhole: boolean;
}

/** An opening or closing tag and the text after it. Each character is looked at once. */
const tag = /<(\/?)(?:[\w.-]{1,64}:)?([\w.-]{1,64})(?=[\s/>])[^<>]*>([^<]*)/g;

/** Reads a sitemap or an index of sitemaps; undefined if the text is neither. */
export function readSitemap(xml: string): Sitemap | undefined {
  const text = withoutComments(xml);
  let kind: Sitemap['kind'] | undefined;
  let isWhole = false;
  const entries: ListedPage[] = [];
  let url: string | undefined;
  let changedAt: Date | undefined;
  for (const [, slash, name = '', content = ''] of text.matchAll(tag)) {
    const isEnd = slash === '/';
    if (name === 'urlset' || name === 'sitemapindex') {
      if (isEnd) isWhole = true;
      else kind ??= name === 'urlset' ? 'pages' : 'sitemaps';
    } else if (name === 'url' || name === 'sitemap') {
      if (isEnd && url !== undefined && URL.canParse(url))
        entries.push({ url: new URL(url).href, changedAt });
      url = undefined;
      changedAt = undefined;
    } else if (name === 'loc' && !isEnd) url ??= unescaped(content).trim();
    else if (name === 'lastmod' && !isEnd) changedAt ??= endOf(content.trim());
  }
  return kind && { kind, entries, isWhole };
}

/** CDATA becomes text. */
function withoutComments(xml: string): string {
  const parts: string[] = [];
  let at = 0;
  for (;;) {
    const begin = xml.indexOf('<!', at);
    if (begin === -1) break;
    parts.push(xml.slice(at, begin));
    const [opening, closing] = xml.startsWith('<!--', begin)
      ? ['<!--', '-->']
      : xml.startsWith('<![CDATA[', begin)
        ? ['<![CDATA[', ']]>']
        : ['<!', '>'];
    const end = xml.indexOf(closing, begin + opening.length);
    if (end === -1) return parts.join('');
    if (opening === '<![CDATA[')
      parts.push(
        xml
          .slice(begin + opening.length, end)
          .replaceAll('&', '&amp;')
          .replaceAll('<', '&lt;'),
      );
    at = end + closing.length;
  }
  parts.push(xml.slice(at));
  return parts.join('');
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescaped(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[name as string] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal);
    return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : whole;
  });
}

/** The end of a day, or the time itself. */
function endOf(text: string): Date | undefined {
  const time = new Date(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T23:59:59.999Z` : text);
  return /^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(time.getTime()) ? time : undefined;
}
