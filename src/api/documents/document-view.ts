import { z } from 'zod';
import type { TenantContext } from '../../domain/access/context.ts';
import { phaseOf, type DocumentState, type Skipped } from '../../domain/documents/document.ts';
import {
  routedBy,
  skipReasons,
  type RecordedSection,
  type SkipReason,
} from '../../domain/documents/events.ts';
import { jsonObject } from '../../domain/json.ts';
import { identifier, layerSchema, scopeSchema } from '../../domain/layers.ts';
import { problems, type ProblemCode } from '../../domain/problems.ts';

const count = z.int().nonnegative();

export const documentStates = ['queued', 'processing', 'ready', 'failed', 'deleted'] as const;

export const documentSchema = z
  .object({
    id: z.string(),
    externalId: z.string().optional(),
    filename: z.string().optional(),
    sourceUri: z.string().optional(),
    source: z.string().optional(),
    title: z.string(),
    mediaType: z.string().optional(),
    contentType: z.string().optional(),
    language: z.string().optional().meta({ description: 'Human language, as a BCP 47 code' }),
    programmingLanguage: z.string().optional(),
    layer: layerSchema,
    scope: scopeSchema.extend({ company: identifier }),
    spaces: z.array(z.string()),
    routed: z
      .object({
        because: z.enum(routedBy),
        rules: z.array(z.int()).optional(),
        subjects: z.array(z.string()).optional(),
        model: z.string().optional(),
      })
      .optional()
      .meta({ description: 'What chose its spaces, if its sender named none: see the guide on spaces' }),
    tags: z.array(z.string()),
    metadata: jsonObject,
    occurredAt: z.string().optional(),
    sha256: z.string().optional().meta({ description: 'Of the last file that could be read, in hex' }),
    bytes: count.meta({ description: 'Size of the last file' }),
    revision: z
      .int()
      .positive()
      .meta({ description: 'Number of the last file, also if it could not be read' }),
    state: z.enum(documentStates),
    progress: z
      .object({ stage: z.enum(['storing', 'done']), done: count, total: count })
      .meta({ description: 'Sections whose memories are as they should be, and all sections' }),
    pages: z
      .object({
        total: count,
        stored: count.meta({ description: 'Pages with text' }),
        empty: z.array(count).meta({ description: 'Blank pages' }),
        withoutText: z.array(count).meta({ description: 'Pages with pictures and no text' }),
        hidden: z
          .array(count)
          .optional()
          .meta({ description: 'Hidden slides and sheets; they are read like the others' }),
      })
      .optional()
      .meta({ description: 'Pages, slides or sheets of the file' }),
    memories: count.meta({ description: 'Sections that are memories' }),
    skipped: z
      .array(z.object({ reason: z.enum(skipReasons), count, examples: z.array(z.string()) }))
      .meta({ description: 'Sections that are none, and why, with some of their places' }),
    replacements: count.optional().meta({
      description: 'Characters that the encoding of the file cannot represent',
    }),
    problem: z
      .object({ code: z.string(), status: z.int(), detail: z.string() })
      .optional()
      .meta({ description: 'Why the last file could not be read' }),
    parent: z.string().optional().meta({ description: 'The document that the file was attached to' }),
    createdBy: z.string(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    retentionUntil: z.string().optional().meta({ description: 'Until when it can be restored' }),
  })
  .meta({ id: 'Document' });

export type DocumentView = z.infer<typeof documentSchema>;

/** Places of skipped sections that are shown for each reason. */
const maxExamples = 3;

export function documentView({ tenant }: Pick<TenantContext, 'tenant'>, state: DocumentState): DocumentView {
  const { place, good, problem, due, sections } = state;
  const phase = phaseOf(state);
  const file = good ?? problem;
  return {
    id: place.documentId,
    ...definedOf({
      externalId: file?.externalId,
      filename: file?.filename,
      sourceUri: good?.sourceUri,
      source: good?.source,
    }),
    title: file?.title ?? file?.filename ?? file?.externalId ?? 'Untitled',
    ...definedOf({
      mediaType: good?.mediaType,
      contentType: good?.contentType,
      language: good?.language,
      programmingLanguage: good?.programmingLanguage,
      occurredAt: good?.occurredAt,
      sha256: good?.sha256,
      pages: pagesOf(state),
      replacements: good && good.replacements > 0 ? good.replacements : undefined,
      retentionUntil: state.retentionUntil,
    }),
    layer: place.layer,
    scope: { company: tenant, ...place.scope },
    spaces: [...place.spaces],
    ...(good?.routed && { routed: good.routed }),
    tags: [...(good?.tags ?? [])],
    metadata: good?.metadata ?? {},
    bytes: place.bytes,
    revision: state.revision,
    state: phase === 'erased' ? 'deleted' : phase,
    progress: {
      stage: due.size > 0 ? 'storing' : 'done',
      done: Math.max(0, sections.size - due.size),
      total: sections.size,
    },
    memories: [...sections.keys()].filter((id) => !due.has(id) && !state.skipped.has(id)).length,
    skipped: skippedOf(state),
    ...(problem && {
      problem: {
        code: problem.code,
        status: problems[problem.code as ProblemCode]?.status ?? 422,
        detail: problem.detail ?? 'it was erased',
      },
    }),
    ...(place.parent !== undefined && { parent: place.parent }),
    createdBy: place.createdBy,
    createdAt: state.createdAt.toISOString(),
    updatedAt: state.updatedAt.toISOString(),
  };
}

function pagesOf({ good, sections }: DocumentState): DocumentView['pages'] {
  if (!good?.pages) return undefined;
  const { total, empty, withoutText } = good.pages;
  const hidden = new Set<number>();
  for (const { isHidden, pages } of sections.values())
    if (isHidden && pages) for (let page = pages[0]; page <= pages[1]; page++) hidden.add(page);
  return {
    total,
    stored: total - empty.length - withoutText.length,
    empty,
    withoutText,
    ...(hidden.size > 0 && { hidden: [...hidden] }),
  };
}

function skippedOf({ good, sections, skipped }: DocumentState): DocumentView['skipped'] {
  const places = new Map<SkipReason, string[]>();
  const add = (reason: SkipReason, at: string) => places.set(reason, [...(places.get(reason) ?? []), at]);
  for (const [id, section] of sections) {
    const one = skipped.get(id);
    if (one) add(one.reason, exampleOf(section, one));
  }
  for (const { type, path } of good?.refused ?? []) add('refused', [...path, type].join(' › '));
  if (good && sections.size === 0) add('empty', 'the file has no text');
  return [...places].map(([reason, all]) => ({
    reason,
    count: all.length,
    examples: all.slice(0, maxExamples),
  }));
}

function exampleOf({ path, pages, start, end }: RecordedSection, { of }: Skipped): string {
  const place = path.length > 0 ? path.join(' › ') : `characters ${start} to ${end}`;
  const page = pages ? `, p. ${pages[0]}` : '';
  return `${place}${page}${of === undefined ? '' : `: says the same as ${of}`}`;
}

function definedOf<T extends object>(fields: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
