import type { DocumentEvent, RecordedSection } from '../../domain/documents/events.ts';

/** Sections in one event. */
const sectionsAtOnce = 500;

/** The events that record these sections as those of a revision. One says so if there are none. */
export function plannedEvents(
  documentId: string,
  revision: number,
  sections: readonly RecordedSection[],
): DocumentEvent[] {
  const events: DocumentEvent[] = [];
  for (let from = 0; from < sections.length || from === 0; from += sectionsAtOnce)
    events.push({
      type: 'DocumentPlanned',
      data: { documentId, revision, from, sections: sections.slice(from, from + sectionsAtOnce) },
    });
  return events;
}
