import { Problem } from '../../domain/problems.ts';
import type { Block, DocumentContent } from '../../domain/documents/content.ts';
import type { FileToRead } from '../../ports/document-reader.ts';
import { blocksOfHtml } from './html-blocks.ts';
import { isSensibleTitle, optionalPart, requiredPart, resolvePath, timestampOf } from './office-package.ts';
import { countReplacements } from './replacements.ts';
import { childAt, childrenOf, descendantsOf, textOf, type XmlElement } from './xml.ts';
import { openZip, type ZipArchive } from './zip.ts';

interface Chapter {
  readonly path: string;
  /** What the table of contents calls it. */
  readonly label?: string | undefined;
}

/** Encryption of fonts alone, which leaves the text readable. */
const fontEncryption = /idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc/i;
const isMarkup = /xhtml|html|dtbook|oebps?1-document/i;
/** Elements that may be empty in HTML. All others must be closed there, while XHTML may write `<title/>`. */
const voidElement = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/i;

/** Reads an EPUB in the order of its spine. Generated tables of contents are left out. */
export async function readEpub(file: FileToRead): Promise<DocumentContent> {
  const archive = openZip(file.bytes);
  refuseEncrypted(archive);
  const opf = pathOfPackage(archive);
  const book = requiredPart(archive, opf);
  const metadata = childAt(book, 'metadata');
  const properties = childAt(metadata, 'dc-metadata') ?? metadata;
  const valuesOf = (name: string) =>
    childrenOf(properties, name)
      .map((element) => textOf(element).replaceAll(/\s+/g, ' ').trim())
      .filter((value) => value !== '');
  const blocks = chaptersOf(archive, opf, book).flatMap((chapter) => blocksOfChapter(archive, chapter));
  const title = valuesOf('title').find(isSensibleTitle) ?? blocks.find(({ kind }) => kind === 'heading');
  const [language] = valuesOf('language').filter((value) => value.toLowerCase() !== 'und');
  const occurredAt = timestampOf(valuesOf('date')[0]);
  const authors = valuesOf('creator');
  return {
    mediaType: 'application/epub+zip',
    contentType: 'article',
    ...(title !== undefined && { title: typeof title === 'string' ? title : textOfHeading(title) }),
    ...(language !== undefined && { language }),
    ...(occurredAt !== undefined && { occurredAt }),
    blocks,
    ...(authors.length > 0 && { metadata: { author: authors.join(', ') } }),
    replacements: countReplacements(blocks),
  };
}

function textOfHeading(block: Block): string {
  return block.kind === 'heading' ? block.text : '';
}

function refuseEncrypted(archive: ZipArchive): void {
  const encryption = optionalPart(archive, 'META-INF/encryption.xml');
  const isLocked = descendantsOf(encryption, 'EncryptedData').some(
    (data) => !fontEncryption.test(childAt(data, 'EncryptionMethod')?.attributes['Algorithm'] ?? ''),
  );
  if (isLocked)
    throw new Problem('document-unreadable', 'it is encrypted: its copy protection must be removed');
}

function pathOfPackage(archive: ZipArchive): string {
  const container = optionalPart(archive, 'META-INF/container.xml');
  const named = descendantsOf(container, 'rootfile')[0]?.attributes['full-path'];
  const path = named ?? archive.names.find((name) => name.endsWith('.opf'));
  if (path === undefined) throw new Problem('document-unreadable', 'it names no package file');
  return path;
}

/** The files of the spine, without those that are tables of contents. */
function chaptersOf(archive: ZipArchive, opf: string, book: XmlElement): Chapter[] {
  const items = new Map(
    childrenOf(childAt(book, 'manifest'), 'item').map(({ attributes }) => [
      attributes['id'] ?? '',
      attributes,
    ]),
  );
  const navigation = new Set(
    childrenOf(childAt(book, 'guide'), 'reference')
      .filter(({ attributes }) => attributes['type'] === 'toc')
      .map(({ attributes }) => resolvePath(opf, attributes['href'] ?? '')),
  );
  const spine = childrenOf(childAt(book, 'spine'), 'itemref').flatMap(({ attributes }) => {
    const item = items.get(attributes['idref'] ?? '');
    if (!item || !isMarkup.test(item['media-type'] ?? 'xhtml')) return [];
    if ((item['properties'] ?? '').split(/\s+/).includes('nav')) return [];
    return [resolvePath(opf, item['href'] ?? '')];
  });
  if (spine.length === 0) throw new Problem('document-unreadable', 'its package file lists no chapters');
  const missing = spine.filter((path) => !archive.has(path));
  if (missing.length > 0)
    throw new Problem('document-unreadable', `${missing.join(', ')} is missing from it`);
  const labels = labelsOf(archive, opf, [...items.values()]);
  return spine.filter((path) => !navigation.has(path)).map((path) => ({ path, label: labels.get(path) }));
}

/** The first label that the table of contents of EPUB 2 or 3 has for each file. */
function labelsOf(
  archive: ZipArchive,
  opf: string,
  items: readonly Readonly<Record<string, string>>[],
): ReadonlyMap<string, string> {
  const labels = new Map<string, string>();
  const add = (base: string, href: string | undefined, label: string) => {
    const path = resolvePath(base, href ?? '');
    const text = label.replaceAll(/\s+/g, ' ').trim();
    if (text !== '' && !labels.has(path)) labels.set(path, text);
  };
  for (const item of items) {
    const path = resolvePath(opf, item['href'] ?? '');
    if (item['media-type'] === 'application/x-dtbncx+xml') {
      for (const point of pointsOf(childAt(optionalPart(archive, path), 'navMap'))) {
        add(path, childAt(point, 'content')?.attributes['src'], textOf(childAt(point, 'navLabel')));
      }
    } else if ((item['properties'] ?? '').split(/\s+/).includes('nav')) {
      const toc = descendantsOf(optionalPart(archive, path), 'nav').find((nav) =>
        Object.entries(nav.attributes).some(([name, value]) => name.endsWith('type') && value === 'toc'),
      );
      for (const link of descendantsOf(toc, 'a')) add(path, link.attributes['href'], textOf(link));
    }
  }
  return labels;
}

function pointsOf(map: XmlElement | undefined): XmlElement[] {
  return childrenOf(map, 'navPoint').flatMap((point) => [point, ...pointsOf(point)]);
}

function blocksOfChapter(archive: ZipArchive, { path, label }: Chapter): Block[] {
  const markup = archive.text(path) ?? '';
  const html = asHtml(markup);
  if (isListOfLinks(html)) return [];
  const blocks = blocksOfHtml(html);
  const hasHeading = blocks.some(({ kind }) => kind === 'heading');
  return label === undefined || hasHeading || blocks.length === 0
    ? blocks
    : [{ kind: 'heading', level: 1, text: label }, ...blocks];
}

/** The body of an XHTML file as an HTML parser understands it, without its navigation. */
function asHtml(markup: string): string {
  const body = /<body\b[^>]*>([\s\S]*?)(?:<\/body\s*>|$)/i.exec(markup)?.[1] ?? markup;
  return body
    .replaceAll(/<nav\b[\s\S]*?<\/nav\s*>/gi, '')
    .replaceAll(/<([a-z][\w:-]*)((?:\s+[^<>]*?)?)\/>/gi, (whole, name: string, attributes: string) =>
      voidElement.test(name) ? whole : `<${name}${attributes}></${name}>`,
    );
}

/** Tells whether nearly all text is in links, as in the table of contents of an EPUB 2. */
function isListOfLinks(html: string): boolean {
  const links = html.match(/<a\b[^>]*\bhref\b[\s\S]*?<\/a\s*>/gi) ?? [];
  const length = (markup: string) => markup.replaceAll(/<[^>]*>|\s+/g, '').length;
  return links.length >= 3 && length(links.join('')) > 0.8 * length(html);
}
