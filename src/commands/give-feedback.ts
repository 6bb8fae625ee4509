import { z } from 'zod';
import { actorOf, hasRole } from '../domain/access/context.ts';
import { isWriter } from '../domain/access/visibility.ts';
import { questionKinds } from '../domain/ranking/feedback.ts';
import {
  defaultFeedbackScore,
  feedbackKinds,
  type FeedbackEvent,
  type FeedbackKind,
} from '../domain/retrieval/events.ts';
import { jsonError } from '../domain/json.ts';
import { Problem } from '../domain/problems.ts';
import { feedbackStream } from '../domain/streams.ts';
import { assertNotDeleted, assertNotWithheld, loadVisibleMemory } from './change-memory.ts';
import { changeStream } from './change-stream.ts';
import type { CommandContext, CommandResult, CommandServices } from './context.ts';
import { assertStillThere } from './erase-feedback.ts';
import { assertNotErased, assertOwnSearch, recordQuestion } from './judged-question.ts';

export const feedbackInput = z
  .strictObject({
    kind: z.enum(feedbackKinds),
    score: z.number().min(-1).max(1).optional(),
    searchId: z.string().max(512).optional().meta({
      description: 'Id of the search that returned the memory; required for `helpful` and `irrelevant`',
    }),
    note: z
      .string()
      .max(2_000)
      .refine((note) => jsonError(note) === undefined, 'contains U+0000 or a lone surrogate')
      .optional(),
  })
  .meta({
    id: 'Feedback',
    // For readers of the schema; `lacksSearch` enforces it.
    if: { properties: { kind: { enum: questionKinds } } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { required: ['searchId'] },
  });

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
  assertNotWithheld(snapshot);
  const isAboutQuestion = questionKinds.includes(kind);
  if (isAboutQuestion && searchId === undefined) throw lacksSearch(kind);
  if (searchId !== undefined) assertOwnSearch(services, context, searchId);
  if (isAboutQuestion && searchId !== undefined && snapshot.state.status === 'active') {
    await recordQuestion(services, context, memoryId, searchId);
    await assertStillThere(services, context, memoryId);
  }
  const event: Extract<FeedbackEvent, { type: 'FeedbackGiven' }> = {
    type: 'FeedbackGiven',
    data: {
      memoryId,
      kind,
      score,
      isAuthoritative: isAuthority(context, snapshot.state.value.createdBy),
      ...(searchId !== undefined && { searchId }),
      ...(note !== undefined && { note }),
    },
  };
  const { position, replayed } = await changeStream<FeedbackEvent>(services, context, {
    stream: feedbackStream(context.caller.tenant, memoryId),
    memoryId,
    decide: (loaded) => {
      assertNotDeleted(snapshot);
      assertNotErased(loaded);
      return [event];
    },
    key: () => key,
  });
  await assertStillThere(services, context, memoryId);
  return { position, replayed };
}

/** Whether the caller wrote the memory, or is an admin. */
function isAuthority({ caller }: CommandContext, createdBy: string): boolean {
  return hasRole(caller, 'admin') || actorOf(caller) === createdBy;
}

function lacksSearch(kind: FeedbackKind): Problem {
  const message = `is required: "${kind}" is about the memory as an answer to one search`;
  return new Problem('validation-failed', `searchId ${message}`, { errors: [{ path: 'searchId', message }] });
}

function assertMayJudge({ caller }: CommandContext): void {
  if (isWriter(caller)) return;
  throw new Problem('forbidden', 'feedback needs the role agent, member or admin');
}
