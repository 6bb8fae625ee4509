import { z } from 'zod';
import type { OutcomeEvent } from '../../domain/learning/events.ts';
import { signalOfPosted, type OutcomeSignal, type PostedOutcome } from '../../domain/learning/outcome.ts';
import { requiredList } from '../../domain/input/issue-words.ts';
import { isWriter } from '../../domain/access/visibility.ts';
import { invalid, Problem } from '../../domain/problems.ts';
import { answeredMemories, isRecorded } from '../../domain/retrieval/answered-memories.ts';
import type { RetrievalEvent } from '../../domain/retrieval/events.ts';
import { outcomeStream, retrievalStream } from '../../domain/streams.ts';
import { changeStream } from '../change-stream.ts';
import { callerKey, type CommandContext, type CommandResult, type CommandServices } from '../context.ts';
import { assertOwnSearch } from '../judged-question.ts';

/** A search keeps at most this many different outcomes of its caller, so that reading them takes a bounded time. */
const maxPosted = 50;
const maxUsed = 1_000;

export const outcomeInput = z
  .strictObject({
    used: z
      .array(z.uuid('is not the id of a memory'), { error: requiredList('if nothing was used') })
      .max(maxUsed)
      .meta({
        description:
          'Ids of the memories of the answer that were used; empty if none was. Repeated ids count once',
      }),
    quality: z.number().min(0).max(1).optional().meta({
      description:
        'How good what was used was, 0 to 1. Default: 1, or 0.6 with `refined`. Only where something was used',
    }),
    refined: z
      .boolean()
      .optional()
      .meta({ description: 'Whether the question had to be asked again in other words' }),
  })
  .meta({ id: 'PostedOutcome' });

/**
 * Records what a caller made of the answer to its search. The latest outcome counts; the same one again changes nothing. It may come
 * before the search is in the log: then its ids are checked where the outcome is evaluated.
 */
export async function postOutcome(
  services: CommandServices,
  context: CommandContext,
  searchId: string,
  posted: PostedOutcome,
): Promise<CommandResult> {
  const { caller } = context;
  const id = assertOwnSearch(services, context, searchId);
  if (!isWriter(caller)) throw new Problem('forbidden', 'an outcome needs the role agent, member or admin');
  if (posted.used.length === 0 && posted.quality !== undefined && posted.quality > 0)
    throw invalid('quality', 'must be left out where `used` is empty: nothing was used that could be good');
  await assertAnswered(services, caller.tenant, id, posted.used);
  const signal = signalOfPosted(posted);
  const { position, replayed } = await changeStream<OutcomeEvent>(services, context, {
    stream: outcomeStream(caller.tenant, id),
    memoryId: '',
    decide: (loaded) => {
      const earlier = loaded.filter(({ event }) => event.data.source === 'caller');
      const last = earlier.at(-1)?.event.data;
      if (last && isSame(last, signal)) return [];
      if (earlier.length >= maxPosted)
        throw new Problem(
          'too-many-outcomes',
          `this search has ${maxPosted} different outcomes already, and the last one counts. Post one outcome for a search, when its answer was used; for another question, search again`,
        );
      return [{ type: 'OutcomeObserved', data: { searchId, ...signal, memoryIds: [...signal.memoryIds] } }];
    },
    key: () => callerKey(services.vault, caller),
  });
  return { position, replayed };
}

function isSame(one: OutcomeSignal, other: OutcomeSignal): boolean {
  const [known, ids] = [new Set(one.memoryIds), other.memoryIds];
  return (
    one.kind === other.kind &&
    one.quality === other.quality &&
    (one.refined ?? false) === (other.refined ?? false) &&
    known.size === ids.length &&
    ids.every((id) => known.has(id))
  );
}

/** Throws `validation-failed` for an id that the answer did not have, unless the search is not in the log yet. */
async function assertAnswered(
  { store }: CommandServices,
  tenant: string,
  id: string,
  used: readonly string[],
): Promise<void> {
  if (used.length === 0) return;
  const events = await store.load<RetrievalEvent>(retrievalStream(tenant, id));
  if (!isRecorded(events)) return;
  const answered = answeredMemories(events);
  const index = used.findIndex((memoryId) => !answered.has(memoryId));
  if (index >= 0) throw invalid(`used.${index}`, 'is not the id of a memory in the answer to this search');
}
