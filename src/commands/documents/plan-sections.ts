import { hash } from 'node:crypto';
import { composeDocument } from '../../domain/documents/compose.ts';
import type { DocumentContent } from '../../domain/documents/content.ts';
import { contentOf, type DocumentState } from '../../domain/documents/document.ts';
import type { RecordedSection } from '../../domain/documents/events.ts';
import { planRevision, type KnownSection, type SectionStep } from '../../domain/documents/plan.ts';
import { sectionQuality } from '../../domain/documents/quality.ts';
import { sectionContent, type Section } from '../../domain/documents/sections.ts';

export interface PlannedDocument {
  readonly text: string;
  readonly sections: readonly RecordedSection[];
}

/**
 * The text of a new revision, its sections, and which memory each of them has: that of the section before it where there is one. `before`
 * is the document until now, with the text of its last good revision as far as it is known.
 */
export function planSections(
  content: DocumentContent,
  {
    title,
    revision,
    before,
    newId,
  }: {
    /** Begins the content of each section; undefined if the document has none of its own. */
    readonly title: string | undefined;
    readonly revision: number;
    readonly before?: { readonly state: DocumentState; readonly text: string | undefined } | undefined;
    readonly newId: () => string;
  },
): PlannedDocument {
  const composed = composeDocument(content);
  const contents = new Map<Section, { readonly content: string; readonly hash: string }>();
  for (const section of composed.sections) {
    const text = sectionContent(composed.text, section, title);
    contents.set(section, { content: text, hash: hash('sha256', text, 'hex') });
  }
  const isFeed = content.isFeed === true;
  const steps = planRevision({
    known: before ? knownSections(before) : [],
    next: composed.sections.map((section) => ({ section, ...contents.get(section)! })),
    newId,
    isFeed,
  });
  const sections = steps.flatMap((step): RecordedSection[] => {
    if (step.action === 'remove') return [];
    const { content: text, hash: textHash } = contents.get(step.section)!;
    return [recorded(step, { revision, hash: textHash, quality: sectionQuality(text, step.section) })];
  });
  return {
    text: composed.text,
    sections: isFeed ? [...sections, ...leftEntries(sections, before)] : sections,
  };
}

function recorded(
  { action, memoryId, section }: Exclude<SectionStep, { action: 'remove' }>,
  facts: Pick<RecordedSection, 'revision' | 'hash' | 'quality'>,
): RecordedSection {
  const { kind, path, start, end, header, pages, key, isBoilerplate, isHidden, at, uri } = section;
  return {
    memoryId,
    action,
    ...facts,
    kind,
    path: [...path],
    start,
    end,
    ...(header && { header: [...header] }),
    ...(pages && { pages: [...pages] }),
    ...(key !== undefined && { key }),
    ...(isBoilerplate && { isBoilerplate }),
    ...(isHidden && { isHidden }),
    ...(at !== undefined && { at }),
    ...(uri !== undefined && { uri }),
  };
}

/** Entries that have left the window of a feed stay as they were. */
function leftEntries(
  sections: readonly RecordedSection[],
  before: { readonly state: DocumentState } | undefined,
): RecordedSection[] {
  const named = new Set(sections.map(({ memoryId }) => memoryId));
  const known = before ? [...before.state.sections.values()] : [];
  return known
    .filter(({ memoryId }) => !named.has(memoryId))
    .map((section) => ({ ...section, action: 'keep' }));
}

function knownSections({
  state,
  text,
}: {
  readonly state: DocumentState;
  readonly text: string | undefined;
}): KnownSection[] {
  const { good } = state;
  const known = ({ memoryId, path, key, hash: textHash }: RecordedSection): KnownSection => ({
    memoryId,
    path,
    hash: textHash,
    ...(key !== undefined && { key }),
  });
  return [
    ...[...state.sections.values()].map((section) => ({
      ...known(section),
      // An entry that left the window of a feed stands in an older text. Its key names it.
      content:
        good && text !== undefined && section.revision === good.revision
          ? contentOf(text, section, good)
          : '',
    })),
    ...[...state.removed.values()].map(known),
  ];
}
