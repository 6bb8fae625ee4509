import type { MemoryEvent } from '../../domain/memory/events.ts';
import type { ErasureTarget } from '../../domain/erasure/events.ts';
import { eventDefinitions, type EventType } from '../../domain/events/registry.ts';
import type { LoadedEvent, EventStore } from '../../ports/event-store.ts';
import type { StreamName } from '../../ports/event-log.ts';

/** A memory that is to be erased: the event is appended after this revision. */
export interface MemoryStreamEnd {
  readonly stream: StreamName;
  readonly revision: number;
  readonly erasure: Extract<MemoryEvent, { type: 'MemoryErased' }>;
}

/** What the log has of a subject and that no event has erased yet. */
export interface SubjectStreams {
  readonly memories: readonly MemoryStreamEnd[];
  readonly traceIds: readonly string[];
  readonly lessonIds: readonly string[];
  /** The streams with summaries whose texts are sealed for the subject. */
  readonly summaries: readonly StreamName[];
  readonly questions: readonly { readonly memoryId: string; readonly searchId: string }[];
  /** Number of events that are sealed for the subject. */
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
  'MemoryErased',
  'ReasoningTraceErased',
  'LessonForgotten',
  'FeedbackErased',
  'QuestionErased',
];
const types: readonly EventType[] = [...sealedTypes, ...followedTypes];

/** Finds what the log has of a subject, or of a tenant. Nothing is decrypted. */
export async function findSubjectStreams(
  store: EventStore,
  tenant: string,
  target: Exclude<ErasureTarget, { kind: 'memory' }>,
  signal: AbortSignal,
): Promise<SubjectStreams> {
  const found = new Finding(target.kind === 'subject' ? target.subject : undefined);
  let position = 0;
  while (!signal.aborted) {
    const page = await store.readAll({
      after: position,
      limit: pageSize,
      filter: { types },
      routingOnly: true,
    });
    for (const loaded of page.events) if (loaded.metadata.tenant === tenant) found.take(loaded);
    if (page.scannedTo <= position) break;
    position = page.scannedTo;
  }
  return found.result(position);
}

class Finding {
  /** Undefined for everything of the tenant. */
  readonly #subject: string | undefined;
  readonly #memories = new Map<StreamName, MemoryStreamEnd>();
  readonly #traces = new Map<StreamName, string>();
  readonly #lessons = new Map<StreamName, string>();
  readonly #summaries = new Set<StreamName>();
  readonly #questions = new Map<
    string,
    { readonly stream: StreamName; readonly memoryId: string; readonly searchId: string }
  >();
  #sealed = 0;

  constructor(subject: string | undefined) {
    this.#subject = subject;
  }

  take(loaded: LoadedEvent): void {
    const { event, metadata, stream, revision } = loaded;
    const isOwn =
      metadata.keyId !== undefined && (this.#subject === undefined || metadata.subject === this.#subject);
    if (isOwn) this.#sealed++;
    const memory = this.#memories.get(stream);
    if (memory) this.#memories.set(stream, { ...memory, revision });
    switch (event.type) {
      case 'MemoryStored': {
        if (!isOwn) return;
        const { memoryId, claim } = event.data;
        const data = { memoryId, keyId: metadata.keyId ?? '', ...(claim !== undefined && { claim }) };
        this.#memories.set(stream, { stream, revision, erasure: { type: 'MemoryErased', data } });
        return;
      }
      case 'MemoryErased':
        this.#memories.delete(stream);
        return;
      case 'ReasoningTraceRecorded':
        if (isOwn) this.#traces.set(stream, event.data.traceId);
        return;
      case 'ReasoningTraceErased':
        this.#traces.delete(stream);
        return;
      case 'LessonLearned':
      case 'LessonRevised':
        if (isOwn) this.#lessons.set(stream, event.data.lessonId);
        return;
      case 'LessonForgotten':
        this.#lessons.delete(stream);
        return;
      case 'SummaryGenerated':
        if (isOwn) this.#summaries.add(stream);
        return;
      case 'QuestionJudged':
        if (isOwn) this.#questions.set(`${stream}/${event.data.searchId}`, { stream, ...event.data });
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
      summaries: [...this.#summaries],
      questions: [...this.#questions.values()].map(({ memoryId, searchId }) => ({ memoryId, searchId })),
      sealed: this.#sealed,
      position,
    };
  }
}
