import { zipSync, type Zippable } from 'fflate';
import mammoth from 'mammoth';
import { Problem } from '../../domain/problems.ts';
import type { Block, DocumentContent } from '../../domain/documents/content.ts';
import type { FileToRead } from '../../ports/document-reader.ts';
import { withNotesInPlace } from './docx-notes.ts';
import { blocksOfHtml } from './html-blocks.ts';
import { corePropertiesOf, openOfficeArchive, requiredPart } from './office-package.ts';
import { countReplacements } from './replacements.ts';
import type { ZipArchive } from './zip.ts';

/** Pictures are not read, and fonts and embedded files are none of the text. */
const isOfText = /\.(?:xml|rels)$/i;
/** Titles come above the first level of headings. */
const styleMap = [
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='Subtitle'] => p:fresh",
  'comment-reference =>',
];

/** Reads a Word document as it stands with all its tracked changes accepted. Notes follow the paragraph that refers to them. */
export async function readDocx(file: FileToRead): Promise<DocumentContent> {
  const archive = openOfficeArchive(file.bytes);
  const { title, ...properties } = corePropertiesOf(archive);
  const blocks = withoutEmptyHeadings(blocksOfHtml(await htmlOf(archive)));
  const first = blocks.find((block) => block.kind === 'heading');
  const best = title ?? (first?.kind === 'heading' ? first.text : undefined);
  return {
    mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    contentType: 'documentation',
    ...(best !== undefined && { title: best }),
    ...properties,
    blocks,
    replacements: countReplacements(blocks),
  };
}

async function htmlOf(archive: ZipArchive): Promise<string> {
  const buffer = Buffer.from(repacked(archive));
  try {
    const { value } = await mammoth.convertToHtml(
      { buffer },
      {
        styleMap,
        convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: '' })),
        transformDocument: withNotesInPlace,
      },
    );
    return value;
  } catch (cause) {
    throw new Problem('document-unreadable', 'its text is damaged and cannot be read', { cause });
  }
}

/** An archive of the parts that were unpacked within the limits, so that the converter sees nothing else. */
function repacked(archive: ZipArchive): Uint8Array {
  const parts: Zippable = {};
  for (const name of archive.names) {
    const content = isOfText.test(name) ? archive.bytes(name) : undefined;
    if (content) parts[name.replace(/^\/+/, '')] = content;
  }
  requiredPart(archive, '[Content_Types].xml');
  return zipSync(parts, { level: 0 });
}

function withoutEmptyHeadings(blocks: readonly Block[]): Block[] {
  return blocks.filter((block) => block.kind !== 'heading' || block.text.trim() !== '');
}
