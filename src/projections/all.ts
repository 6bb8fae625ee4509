import type { Embedders } from '../ports/embedder.ts';
import { audit } from './audit/audit.ts';
import type { FoldServices } from './decisions/decision-fold.ts';
import { decisionsProjection } from './decisions/decisions.ts';
import { documents } from './documents/documents.ts';
import { duplicates } from './duplicates/duplicates.ts';
import { experience } from './experience/experience.ts';
import { feedback } from './feedback/feedback.ts';
import { fields } from './fields/fields.ts';
import { lessons } from './lessons/lessons.ts';
import { lexical, type OtherWords } from './lexical/lexical.ts';
import { links } from './links/links.ts';
import { memories } from './memories/memories.ts';
import { policies } from './policies/policies.ts';
import type { Projection } from './projection.ts';
import { statistics } from './statistics/statistics.ts';
import { summaries } from './summaries/summaries.ts';
import { summaryScheduleProjection, type ScheduleServices } from './summary-schedule/summary-schedule.ts';
import { traceMemoriesProjection } from './trace-memories/trace-memories.ts';
import { traces } from './traces/traces.ts';
import { usage } from './usage/usage.ts';
import { values } from './values/values.ts';
import { vectors } from './vectors/vectors.ts';

/** Indexes that replace those of the database. */
export interface OtherIndexes {
  /** Where searches find words. */
  readonly words?: OtherWords | undefined;
  /** Up to this many vectors of a tenant are compared in memory and are in no index of the database. */
  readonly vectorsInMemory?: number | undefined;
}

/** The read models that answer callers. */
export function allProjections(embedders: Embedders, others: OtherIndexes = {}): readonly Projection[] {
  return [
    memories,
    lexical(others.words),
    vectors(embedders, embedders.preferred, others.vectorsInMemory),
    links,
    duplicates,
    documents,
    usage,
    feedback(embedders),
    summaries(embedders),
    traces(embedders),
    lessons,
    experience,
    policies,
    values,
    statistics,
    fields,
    audit,
  ];
}

/** What reactors and the processors beside them need to know, folded from the log. */
export function projectionsForReactors(services: FoldServices & ScheduleServices): readonly Projection[] {
  return [decisionsProjection(services), summaryScheduleProjection(services), traceMemoriesProjection];
}
