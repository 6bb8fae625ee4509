import { z } from 'zod';
import { isWriter } from '../domain/access/visibility.ts';
import { defaultFeedbackScore, feedbackKinds, type RetrievalEvent } from '../domain/retrieval/events.ts';
import { readSearchId } from '../domain/retrieval/search-id.ts';
import { jsonError } from '../domain/json.ts';
import { Problem } from '../domain/problems.ts';
import { feedbackStream } from '../domain/streams.ts';
import { assertNotDeleted, loadVisibleMemory } from './change-memory.ts';
import { changeStream } from './change-stream.ts';
import type { CommandContext, CommandResult, CommandServices } from './context.ts';

export const feedbackInput = z
  .strictObject({
    kind: z.enum(feedbackKinds),
    score: z.number().min(-1).max(1).optional(),
    searchId: z.string().max(512).optional(),
    note: z
      .string()
      .max(2_000)
      .refine((note) => jsonError(note) === undefined, 'contains U+0000 or a lone surrogate')
      .optional(),
  })
  .meta({ id: 'Feedback' });

export type FeedbackInput = z.infer<typeof feedbackInput>;

/** Records what a caller thinks of a memory that it can see. */
export async function giveFeedback(
  services: CommandServices,
  context: CommandContext,
  memoryId: string,
  { kind, score = defaultFeedbackScore[kind], searchId, note }: FeedbackInput,
): Promise<CommandResult> {
  const { snapshot, key } = await loadVisibleMemory(services, context, memoryId);
  assertMayJudge(context);
  if (searchId !== undefined && !readSearchId(services.vault, context.caller, searchId)) {
    throw new Problem('not-found', 'no such search of this caller', {
      errors: [{ path: 'searchId', message: 'is unknown' }],
    });
  }
  const event: Extract<RetrievalEvent, { type: 'FeedbackGiven' }> = {
    type: 'FeedbackGiven',
    data: {
      memoryId,
      kind,
      score,
      ...(searchId !== undefined && { searchId }),
      ...(note !== undefined && { note }),
    },
  };
  const { position, replayed } = await changeStream<typeof event>(services, context, {
    stream: feedbackStream(context.caller.tenant, memoryId),
    memoryId,
    decide: () => {
      assertNotDeleted(snapshot);
      return [event];
    },
    key: () => key,
  });
  return { position, replayed };
}

function assertMayJudge({ caller }: CommandContext): void {
  if (isWriter(caller)) return;
  throw new Problem('forbidden', 'feedback needs the role agent, member or admin');
}
