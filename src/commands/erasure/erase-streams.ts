import type { FeedbackEvent } from '../../domain/retrieval/events.ts';
import { foldDocument } from '../../domain/documents/document.ts';
import type { DocumentEvent } from '../../domain/documents/events.ts';
import { documentStream, feedbackStream, memoryStream } from '../../domain/streams.ts';
import type { SummaryEvent } from '../../domain/summaries/events.ts';
import { WrongExpectedRevision, type StreamName } from '../../ports/event-log.ts';
import type { MemoryEvent } from '../../domain/memory/events.ts';
import { changeStream } from '../change-stream.ts';
import { eventContext, type CommandContext, type CommandServices } from '../context.ts';
import { erasureOf } from '../erase-memory.ts';
import { erasureOf as erasureOfDocument } from '../documents/change-document.ts';
import { eraseTrace } from '../experience/erase-trace.ts';
import { forgetLesson } from '../experience/learn-lesson.ts';
import type { MemoryStreamEnd, SubjectStreams } from './subject-streams.ts';

/** Appends that wait for the log together: it groups them into few writes. */
const appendsAtOnce = 64;

/** Appends to each stream that what it holds is erased: then the read models remove it. Repeatable. */
export async function eraseStreams(
  services: CommandServices,
  context: CommandContext,
  found: SubjectStreams,
  signal: AbortSignal,
): Promise<void> {
  await inGroups(found.memories, signal, (memory) => eraseMemoryStream(services, context, memory));
  await inGroups(found.traceIds, signal, (traceId) =>
    eraseTrace(services, context, { traceId, memoryId: '' }),
  );
  await inGroups(found.lessonIds, signal, (lessonId) => forgetLesson(services, context, lessonId, 'erased'));
  await inGroups(found.documentIds, signal, (documentId) =>
    eraseDocumentStream(services, context, documentId),
  );
  await inGroups(found.summaries, signal, (stream) => eraseSummaryStream(services, context, stream));
  await inGroups(found.questions, signal, (question) => eraseQuestion(services, context, question));
}

async function inGroups<Item>(
  items: readonly Item[],
  signal: AbortSignal,
  act: (item: Item) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < items.length && !signal.aborted; from += appendsAtOnce)
    await Promise.all(items.slice(from, from + appendsAtOnce).map(act));
}

/** Its key is destroyed; the reactor of erasures does the rest, such as releasing its externalId. */
async function eraseMemoryStream(
  services: CommandServices,
  context: CommandContext,
  { stream, revision, erasure }: MemoryStreamEnd,
): Promise<void> {
  try {
    await services.store.append(stream, revision, [erasure], eventContext(context));
  } catch (error) {
    if (!(error instanceof WrongExpectedRevision)) throw error;
    const { memoryId } = erasure.data;
    await changeStream<MemoryEvent>(services, context, { stream, memoryId, decide: erasureOf });
  }
}

/** The memories of its sections have keys of the same subject. */
async function eraseDocumentStream(
  services: CommandServices,
  context: CommandContext,
  documentId: string,
): Promise<void> {
  await changeStream<DocumentEvent>(services, context, {
    stream: documentStream(context.caller.tenant, documentId),
    memoryId: '',
    decide: (loaded) => {
      const state = foldDocument(loaded);
      return state && state.status !== 'erased' ? [erasureOfDocument(state)] : [];
    },
  });
}

/** Appends to the streams of these memories that they are erased. Repeatable. */
export async function eraseMemoryStreams(
  services: CommandServices,
  context: CommandContext,
  memoryIds: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  await inGroups(memoryIds, signal, (memoryId) =>
    changeStream<MemoryEvent>(services, context, {
      stream: memoryStream(context.caller.tenant, memoryId),
      memoryId,
      decide: erasureOf,
    }),
  );
}

/** Invalidates the summaries whose texts are gone with their key. */
async function eraseSummaryStream(
  services: CommandServices,
  context: CommandContext,
  stream: StreamName,
): Promise<void> {
  await changeStream<SummaryEvent>(services, context, {
    stream,
    memoryId: '',
    decide: (loaded) => {
      const events: SummaryEvent[] = [];
      const recorded = new Set<string>();
      for (const { event, erased } of loaded.toReversed()) {
        if (event.type === 'SummaryInvalidated' && event.data.reason === 'erased')
          recorded.add(event.data.memoryId);
        if (event.type !== 'SummaryGenerated' || !erased) continue;
        const { layer, scope, summaries, shown = [] } = event.data;
        const sources = [...summaries.flatMap((summary) => summary.sources.map(({ id }) => id)), ...shown];
        const [memoryId] = sources;
        if (memoryId === undefined || sources.some((id) => recorded.has(id))) continue;
        recorded.add(memoryId);
        events.push({ type: 'SummaryInvalidated', data: { layer, scope, reason: 'erased', memoryId } });
      }
      return events;
    },
  });
}

async function eraseQuestion(
  services: CommandServices,
  context: CommandContext,
  { memoryId, searchId }: { readonly memoryId: string; readonly searchId: string },
): Promise<void> {
  await changeStream<FeedbackEvent>(services, context, {
    stream: feedbackStream(context.caller.tenant, memoryId),
    memoryId,
    decide: (loaded) => {
      const isGone = loaded.some(
        ({ event: { type, data } }) =>
          type === 'FeedbackErased' || (type === 'QuestionErased' && data.searchId === searchId),
      );
      return isGone ? [] : [{ type: 'QuestionErased', data: { memoryId, searchId } }];
    },
  });
}
