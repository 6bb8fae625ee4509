import { z } from 'zod';

/** Where the section of a memory stands in its document today. */
export const sectionSourceSchema = z
  .object({
    documentId: z.string(),
    externalId: z.string().optional(),
    uri: z.string().optional().meta({ description: 'Address of the document, or of the entry of a feed' }),
    title: z.string().optional(),
    path: z.array(z.string()).optional().meta({ description: 'The headings above it, outermost first' }),
    start: z.int().nonnegative().optional().meta({
      description: "Place in the document's text, in UTF-16 units",
    }),
    end: z.int().nonnegative().optional(),
    page: z.int().positive().optional().meta({ description: 'The first of its pages' }),
    pages: z
      .array(z.int().positive())
      .length(2)
      .optional()
      .meta({ description: 'Its first and last page, slide, sheet, or cell of a notebook' }),
    hidden: z
      .literal(true)
      .optional()
      .meta({ description: 'Present if the section is on a hidden slide or sheet' }),
  })
  .meta({ id: 'SectionSource' });

export type SectionSource = Readonly<z.infer<typeof sectionSourceSchema>>;

/** A section in one line: its citation, or what else names its document, and the address of the document. */
export function sectionText(source: SectionSource): string {
  const { externalId, documentId, uri } = source;
  return [citationOf(source) ?? externalId ?? documentId, ...(uri === undefined ? [] : [uri])].join(', ');
}

/** What a reader is shown, such as `Handbook › Refunds › EU, p. 12`. Undefined if the section has neither title nor headings. */
export function citationOf({ title, path = [], pages }: SectionSource): string | undefined {
  const names = [...(title === undefined || title === path[0] ? [] : [title]), ...path];
  if (names.length === 0) return undefined;
  const [from, to] = pages ?? [];
  const place = from === undefined ? '' : from === to ? `, p. ${from}` : `, pp. ${from}–${to}`;
  return `${names.join(' › ')}${place}`;
}
