import { z } from 'zod';
import { giveFeedback } from '../../api/memories/give-feedback.ts';
import { invalid, Problem } from '../../domain/problems.ts';
import type { RecentSearches } from './recent-searches.ts';
import { bodyOf, type Handler } from './request.ts';

const kinds = { POSITIVE: 'helpful', NEGATIVE: 'irrelevant', VERY_NEGATIVE: 'inaccurate' } as const;

const body = z.looseObject({
  memory_id: z.string(),
  feedback: z
    .string()
    .toUpperCase()
    .pipe(z.enum(Object.keys(kinds) as (keyof typeof kinds)[]))
    .nullish(),
  feedback_reason: giveFeedback.input.shape.note.nullish(),
});

/** `POST /v1/feedback/`: POSITIVE and NEGATIVE are about the last search of the caller that answered with the memory. */
export function givingFeedback(recent: RecentSearches): Handler {
  return async (request) => {
    const { memory_id: memoryId, feedback, feedback_reason: note } = await bodyOf(request, body);
    if (feedback == null)
      throw new Problem(
        'not-supported',
        'feedback cannot be removed here; POST /v1/memories/{id}/feedback with a positive score withdraws one kind',
      );
    const session = await request.session.forMemory(memoryId);
    const kind = kinds[feedback];
    const searchId = recent.find(session.caller, memoryId);
    if (kind !== 'inaccurate' && searchId === undefined)
      throw invalid(
        'memory_id',
        `was in no recent answer to a search of this key, and ${feedback} is about an answer; search first`,
      );
    const about = searchId === undefined || kind === 'inaccurate' ? {} : { searchId };
    await session.perform(giveFeedback, { memoryId, kind, ...about, ...(note != null && { note }) });
    return { message: 'Feedback submitted successfully!' };
  };
}
