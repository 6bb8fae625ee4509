import { Problem } from '../../domain/problems.ts';
import { childAt, childrenOf, parseXml, textOf, type XmlElement } from './xml.ts';
import { openZip, type ZipArchive } from './zip.ts';

/** A part that another part refers to. */
export interface Relationship {
  readonly id: string;
  /** The last segment of its type, such as `slide` or `notesSlide`. */
  readonly type: string;
  /** Full path of the part in the package. */
  readonly target: string;
}

/** Title and times of `docProps/core.xml`. */
export interface CoreProperties {
  readonly title?: string;
  readonly language?: string;
  readonly occurredAt?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Compound files of before 2007. An encrypted file of today is wrapped into one. */
const compoundFile = [0xd0, 0xcf, 0x11, 0xe0];

/** A package of Office with its main part, such as `ppt/presentation.xml`. */
export interface OfficePackage {
  readonly archive: ZipArchive;
  readonly main: XmlElement;
  /** What the main part refers to. */
  readonly relationships: readonly Relationship[];
}

/** Opens a package of Office and its main part, which is at `usual` unless the package says otherwise. */
export function openOfficePackage(bytes: Uint8Array, usual: string): OfficePackage {
  const archive = openOfficeArchive(bytes);
  const path = mainPart(archive, usual);
  return { archive, main: requiredPart(archive, path), relationships: relationshipsOf(archive, path) };
}

/** Opens a package of Office and says why it cannot be opened. */
export function openOfficeArchive(bytes: Uint8Array): ZipArchive {
  if (compoundFile.every((byte, index) => bytes[index] === byte)) {
    const isEncrypted = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(
      Buffer.from('EncryptedPackage', 'utf16le'),
    );
    throw isEncrypted
      ? new Problem('document-unreadable', 'it is encrypted and needs a password')
      : new Problem('unsupported-document', 'it is in a binary format of Office from before 2007');
  }
  return openZip(bytes);
}

/** A part that the format requires. */
export function requiredPart(archive: ZipArchive, path: string): XmlElement {
  const text = archive.text(path);
  if (text === undefined) throw new Problem('document-unreadable', `${path} is missing from it`);
  return parseXml(text, path);
}

export function optionalPart(archive: ZipArchive, path: string): XmlElement | undefined {
  const text = archive.text(path);
  return text === undefined ? undefined : parseXml(text, path);
}

/** The main part of a package, such as `ppt/presentation.xml`; some programs call it differently. */
function mainPart(archive: ZipArchive, usual: string): string {
  const main = relationshipsOf(archive, '').find(({ type }) => type === 'officeDocument')?.target;
  return main !== undefined && archive.has(main) ? main : usual;
}

/** What a part refers to within the package; the empty path stands for the package itself. */
export function relationshipsOf(archive: ZipArchive, part: string): readonly Relationship[] {
  const slash = part.lastIndexOf('/') + 1;
  const path = `${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`;
  return childrenOf(optionalPart(archive, path), 'Relationship')
    .filter(({ attributes }) => attributes['TargetMode'] !== 'External')
    .map(({ attributes }) => ({
      id: attributes['Id'] ?? '',
      type: (attributes['Type'] ?? '').split('/').at(-1) ?? '',
      target: resolvePath(part, attributes['Target'] ?? ''),
    }));
}

/** The full path of what `target` means when it is written in the file at `base`. */
export function resolvePath(base: string, target: string): string {
  const folder = `file:///${base.split('/').map(encodeURIComponent).join('/')}`;
  if (!URL.canParse(target, folder)) return target;
  return new URL(target, folder).pathname.slice(1).split('/').map(decoded).join('/');
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export function corePropertiesOf(archive: ZipArchive): CoreProperties {
  const path = relationshipsOf(archive, '').find(({ type }) => type === 'core-properties')?.target;
  const core = optionalPart(archive, path ?? 'docProps/core.xml');
  const valueOf = (name: string) => textOf(childAt(core, name)).trim() || undefined;
  const title = valueOf('title');
  const language = valueOf('language');
  const occurredAt = timestampOf(valueOf('modified')) ?? timestampOf(valueOf('created'));
  const metadata = Object.fromEntries(
    (['creator', 'subject', 'keywords', 'description', 'category'] as const)
      .map((name) => [name === 'creator' ? 'author' : name, valueOf(name)] as const)
      .filter(([, value]) => value !== undefined),
  );
  return {
    ...(title !== undefined && isSensibleTitle(title) && { title }),
    ...(language !== undefined && { language }),
    ...(occurredAt !== undefined && { occurredAt }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

/** RFC 3339 of a date or time that is complete; undefined for a year alone. */
export function timestampOf(value: string | undefined): string | undefined {
  if (value === undefined || !/^\d{4}-\d{2}-\d{2}/.test(value)) return undefined;
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** Programs fill in titles of their own. */
const meaninglessTitle =
  /^(?:untitled.*|unbenannt.*|ohne titel|sans titre|document\d*|dokument\d*|presentation\d*|(?:microsoft )?powerpoint.presentation|powerpoint-präsentation|présentation powerpoint|slide 1|book\d*|mappe\d*|microsoft (?:word|powerpoint|excel) - .*|\(?(?:anonymous|unspecified|none|null|title|titel)\)?|[^\s]+\.(?:docx?|pptx?|xlsx?|pdf|indd|dvi|tex|qxd|rtf|odt|ps|html?|md|txt)|\W*)$/iu;

export function isSensibleTitle(title: string): boolean {
  return (
    title.length >= 3 && title.length <= 300 && !meaninglessTitle.test(title) && !title.includes('\uFFFD')
  );
}
