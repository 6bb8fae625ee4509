/** What the converter reads of a Word document, as far as it is used here. */
interface WordElement {
  readonly type: string;
  readonly children?: readonly WordElement[];
  readonly numbering?: unknown;
  readonly noteType?: string;
  readonly noteId?: string;
  readonly notes?: { resolve(reference: WordElement): { readonly body: readonly WordElement[] } | undefined };
}

/**
 * Moves footnotes and endnotes behind what refers to them: a paragraph, a whole list or a whole table. At the end of the document they
 * would belong to its last section.
 */
export function withNotesInPlace(document: WordElement): WordElement {
  const { notes, children = [] } = document;
  if (!notes) return document;
  const moved: WordElement[] = [];
  let waiting: WordElement[] = [];
  for (const child of children) {
    const isListItem = child.type === 'paragraph' && Boolean(child.numbering);
    if (!isListItem) moved.push(...waiting.splice(0));
    const references: WordElement[] = [];
    moved.push(withoutReferences(child, references));
    waiting.push(...references.flatMap((reference) => notes.resolve(reference)?.body ?? []));
    if (!isListItem) {
      moved.push(...waiting);
      waiting = [];
    }
  }
  return { ...document, children: [...moved, ...waiting] };
}

/** The element without the references to notes in it, which are added to `references`. */
function withoutReferences(element: WordElement, references: WordElement[]): WordElement {
  if (!element.children) return element;
  const children = element.children.flatMap((child) => {
    if (child.type !== 'noteReference') return [withoutReferences(child, references)];
    references.push(child);
    return [];
  });
  return { ...element, children };
}
