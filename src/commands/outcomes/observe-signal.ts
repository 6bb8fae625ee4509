import type { OutcomeEvent } from '../../domain/learning/events.ts';
import type { OutcomeSignal } from '../../domain/learning/outcome.ts';
import { outcomeStream } from '../../domain/streams.ts';
import { changeStream } from '../change-stream.ts';
import type { CommandContext, CommandServices } from '../context.ts';

/** A search by the id in the name of its stream, and as its caller knows it. */
export interface SearchRef {
  readonly search: string;
  readonly searchId: string;
}

/**
 * Appends what the program itself has observed of a search, if `decide` finds that it says something new. Resolves with all signals of
 * the search. Repeatable: `decide` sees what an earlier run has appended.
 */
export async function observeSignal(
  services: CommandServices,
  context: CommandContext,
  { search, searchId }: SearchRef,
  decide: (signals: readonly OutcomeSignal[]) => OutcomeSignal | undefined,
): Promise<readonly OutcomeSignal[]> {
  const { history } = await changeStream<OutcomeEvent>(services, context, {
    stream: outcomeStream(context.caller.tenant, search),
    memoryId: '',
    decide: (loaded) => {
      const signal = decide(loaded.map(({ event }) => event.data));
      if (!signal) return [];
      return [{ type: 'OutcomeObserved', data: { searchId, ...signal, memoryIds: [...signal.memoryIds] } }];
    },
  });
  return history.map(({ event }) => event.data);
}
