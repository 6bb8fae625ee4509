import { Problem } from '../../domain/problems.ts';
import type { Block, DocumentContent } from '../../domain/documents/content.ts';
import type { FileToRead } from '../../ports/document-reader.ts';
import {
  corePropertiesOf,
  openOfficePackage,
  type OfficePackage,
  optionalPart,
  relationshipsOf,
  requiredPart,
} from './office-package.ts';
import { blocksOfSlide, hasPicture, isDecoration, notesOf, readShapes, type Shape } from './pptx-shapes.ts';
import { countReplacements } from './replacements.ts';
import { childAt, childrenOf, type XmlElement } from './xml.ts';
import type { ZipArchive } from './zip.ts';

interface Slide {
  /** 1-based place in the presentation. */
  readonly page: number;
  readonly isHidden: boolean;
  readonly shapes: readonly Shape[];
  readonly notes: string;
  readonly hasPicture: boolean;
}

/** Reads slides in order: the title as a heading, text, lists and tables, then the notes of the speaker. */
export async function readPptx(file: FileToRead): Promise<DocumentContent> {
  const presentation = openOfficePackage(file.bytes, 'ppt/presentation.xml');
  const slides = readSlides(presentation);
  const repeated = repeatedDecoration(slides);
  const blocks = slides.flatMap((slide) => blocksOf(slide, repeated));
  const { title, ...properties } = corePropertiesOf(presentation.archive);
  const isBare = (slide: Slide) => !blocks.some(({ page }) => page === slide.page);
  const withoutText = slides.filter((slide) => isBare(slide) && slide.hasPicture).map(({ page }) => page);
  if (blocks.length === 0 && withoutText.length > 0) {
    throw new Problem(
      'document-unreadable',
      `slides ${withoutText.join(', ')} have pictures alone and no text`,
    );
  }
  const first = blocks.find((block) => block.kind === 'heading');
  const best = title ?? (first?.kind === 'heading' ? first.text : undefined);
  return {
    mediaType: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    contentType: 'documentation',
    ...(best !== undefined && { title: best }),
    ...properties,
    blocks,
    pages: {
      total: slides.length,
      empty: slides.filter((slide) => isBare(slide) && !slide.hasPicture).map(({ page }) => page),
      withoutText,
    },
    replacements: countReplacements(blocks),
  };
}

function readSlides({ archive, main, relationships }: OfficePackage): Slide[] {
  const targets = new Map(relationships.map(({ id, target }) => [id, target]));
  return childrenOf(childAt(main, 'sldIdLst'), 'sldId').map((reference, index) => {
    // The attribute is called `id` with a prefix, next to one without.
    const id = Object.entries(reference.attributes).find(([name]) => name.includes(':'))?.[1] ?? '';
    return readSlide(archive, targets.get(id), index + 1);
  });
}

function readSlide(archive: ZipArchive, path: string | undefined, page: number): Slide {
  if (path === undefined || !archive.has(path)) {
    throw new Problem('document-unreadable', `slide ${page} is missing from it`);
  }
  const slide = requiredPart(archive, path);
  const relationships = relationshipsOf(archive, path);
  const notes = relationships.find(({ type }) => type === 'notesSlide')?.target;
  const partOf = (id: string): XmlElement | undefined => {
    const target = relationships.find((relationship) => relationship.id === id)?.target;
    return target === undefined ? undefined : optionalPart(archive, target);
  };
  const tree = childAt(slide, 'cSld', 'spTree');
  return {
    page,
    isHidden: ['0', 'false'].includes(slide.attributes['show'] ?? ''),
    shapes: readShapes(tree, partOf),
    notes: notes === undefined ? '' : notesOf(optionalPart(archive, notes)),
    hasPicture: hasPicture(tree),
  };
}

/** Dates and footers that stand on several slides. A date on one slide alone is part of its text. */
function repeatedDecoration(slides: readonly Slide[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const shape of slides.flatMap(({ shapes }) => shapes.filter(isDecoration))) {
    counts.set(shape.text, (counts.get(shape.text) ?? 0) + 1);
  }
  return new Set([...counts].filter(([, count]) => count > 1).map(([text]) => text));
}

function blocksOf(slide: Slide, repeated: ReadonlySet<string>): Block[] {
  const shapes = slide.shapes.filter((shape) => !isDecoration(shape) || !repeated.has(shape.text));
  const place = { page: slide.page, ...(slide.isHidden && { isHidden: true }) };
  return blocksOfSlide(shapes, slide.notes).map((block) => ({ ...block, ...place }));
}
