import type { MemoryEvent } from '../../domain/memory/events.ts';
import type { ErasureTarget } from '../../domain/erasure/events.ts';
import { eventDefinitions, type EventType } from '../../domain/events/registry.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { StreamName } from '../../ports/event-log.ts';
import type { CommandServices } from '../context.ts';

/** A memory that is to be erased: the event is appended after this revision. */
export interface MemoryStreamEnd {
  readonly stream: StreamName;
  readonly revision: number;
  readonly erasure: Extract<MemoryEvent, { type: 'MemoryErased' }>;
}

/** What the log has of a subject, that cannot be read any more, and that no event has erased yet. */
export interface SubjectStreams {
  readonly memories: readonly MemoryStreamEnd[];
  readonly traceIds: readonly string[];
  readonly lessonIds: readonly string[];
  readonly documentIds: readonly string[];
  /** The streams with summaries whose texts are sealed for the subject. */
  readonly summaries: readonly StreamName[];
  readonly questions: readonly { readonly memoryId: string; readonly searchId: string }[];
  /** Number of events that were sealed for the subject with destroyed keys. */
  readonly sealed: number;
  /** The log was read up to here. */
  readonly position: number;
}

const pageSize = 1_000;

const sealedTypes = [...eventDefinitions.values()].flatMap(({ type, sealed }) =>
  Object.keys(sealed.shape).length > 0 ? [type as EventType] : [],
);
/** Events of these streams that seal nothing. */
const followedTypes: readonly EventType[] = [
  'MemoryDeleted',
  'MemoryRestored',
  'MemoryArchived',
  'MemoryUnarchived',
  'MemoryReviewed',
  'MemoryErased',
  'ReasoningTraceErased',
  'LessonForgotten',
  'DocumentErased',
  'FeedbackErased',
  'QuestionErased',
];
const types: readonly EventType[] = [...sealedTypes, ...followedTypes];

/**
 * Finds what the log has of a subject, or of a tenant, whose keys were destroyed. What was stored for it later has other keys, and is left.
 * Nothing is decrypted.
 */
export async function findSubjectStreams(
  { store, vault }: Pick<CommandServices, 'store' | 'vault'>,
  tenant: string,
  target: Extract<ErasureTarget, { kind: 'subject' | 'tenant' }>,
  signal: AbortSignal,
): Promise<SubjectStreams> {
  const subject = target.kind === 'subject' ? target.subject : undefined;
  const found = new Finding();
  let position = 0;
  while (!signal.aborted) {
    const page = await store.readAll({
      after: position,
      limit: pageSize,
      filter: { types },
      routingOnly: true,
    });
    const events = page.events.filter(({ metadata }) => metadata.tenant === tenant);
    const sealed = events.filter(({ metadata }) => subject === undefined || metadata.subject === subject);
    const keyIds = new Set(sealed.flatMap(({ metadata: { keyId } }) => keyId ?? []));
    const keys = await vault.open(tenant, [...keyIds]);
    for (const [id, key] of keys) if (key !== 'destroyed') keyIds.delete(id);
    for (const loaded of events) found.take(loaded, keyIds.has(loaded.metadata.keyId ?? ''));
    if (page.scannedTo <= position) break;
    position = page.scannedTo;
  }
  return found.result(position);
}

class Finding {
  readonly #memories = new Map<StreamName, MemoryStreamEnd>();
  readonly #traces = new Map<StreamName, string>();
  readonly #lessons = new Map<StreamName, string>();
  readonly #documents = new Map<StreamName, string>();
  readonly #summaries = new Set<StreamName>();
  readonly #questions = new Map<
    string,
    { readonly stream: StreamName; readonly memoryId: string; readonly searchId: string }
  >();
  #sealed = 0;

  /** `isGone`: the event was sealed for the subject, with a key that is destroyed. */
  take({ event, metadata, stream, revision }: LoadedEvent, isGone: boolean): void {
    if (isGone) this.#sealed++;
    const memory = this.#memories.get(stream);
    if (memory) this.#memories.set(stream, { ...memory, revision });
    switch (event.type) {
      case 'MemoryStored': {
        if (!isGone) return;
        const { memoryId, claim, documentId } = event.data;
        const data = {
          memoryId,
          keyId: metadata.keyId ?? '',
          ...(claim !== undefined && { claim }),
          ...(documentId !== undefined && { documentId }),
        };
        this.#memories.set(stream, { stream, revision, erasure: { type: 'MemoryErased', data } });
        return;
      }
      case 'MemoryErased':
        this.#memories.delete(stream);
        return;
      case 'ReasoningTraceRecorded':
        if (isGone) this.#traces.set(stream, event.data.traceId);
        return;
      case 'ReasoningTraceErased':
        this.#traces.delete(stream);
        return;
      case 'LessonLearned':
      case 'LessonRevised':
        if (isGone) this.#lessons.set(stream, event.data.lessonId);
        return;
      case 'LessonForgotten':
        this.#lessons.delete(stream);
        return;
      case 'DocumentReceived':
      case 'DocumentRefused':
        if (isGone) this.#documents.set(stream, event.data.documentId);
        return;
      case 'DocumentErased':
        this.#documents.delete(stream);
        return;
      case 'SummaryGenerated':
        if (isGone) this.#summaries.add(stream);
        return;
      case 'QuestionJudged':
        if (isGone) this.#questions.set(`${stream}/${event.data.searchId}`, { stream, ...event.data });
        return;
      case 'QuestionErased':
        this.#questions.delete(`${stream}/${event.data.searchId}`);
        return;
      case 'FeedbackErased':
        for (const [key, question] of this.#questions)
          if (question.stream === stream) this.#questions.delete(key);
        return;
      default:
    }
  }

  result(position: number): SubjectStreams {
    return {
      memories: [...this.#memories.values()],
      traceIds: [...this.#traces.values()],
      lessonIds: [...this.#lessons.values()],
      documentIds: [...this.#documents.values()],
      summaries: [...this.#summaries],
      questions: [...this.#questions.values()].map(({ memoryId, searchId }) => ({ memoryId, searchId })),
      sealed: this.#sealed,
      position,
    };
  }
}
