import { useEffect, useState } from 'preact/hooks';
import { perform, type AnswerOf, type ArgumentsOf, type AskName } from '../../app/asks.ts';
import { useNoteCall } from '../../app/noted-calls.tsx';
import { useSession } from '../../app/session.tsx';
import type { Asked } from '../../app/use-ask.ts';

/**
 * Calls the API once, and again only by `repeat`. For calls that are recorded as events, which would otherwise repeat themselves without
 * end, and for those that read a whole scope.
 */
export function useOnce<Name extends AskName>(
  name: Name,
  args: ArgumentsOf<Name>,
  enabled = true,
): Asked<AnswerOf<Name>> {
  const { client, id } = useSession();
  useNoteCall(enabled ? { name, args } : undefined);
  const [answer, setAnswer] = useState<AnswerOf<Name>>();
  const [error, setError] = useState<Error | null>(null);
  const [isFetching, setFetching] = useState(false);
  const [count, setCount] = useState(0);
  useEffect(() => {
    if (!enabled) return undefined;
    const ended = new AbortController();
    setFetching(true);
    setError(null);
    perform(client, { name, args }, { signal: ended.signal })
      .then(setAnswer)
      .catch((reason: Error) => !ended.signal.aborted && setError(reason))
      .finally(() => !ended.signal.aborted && setFetching(false));
    return () => ended.abort();
  }, [id, name, JSON.stringify(args), enabled, count]);
  return {
    answer,
    error,
    isPending: answer === undefined,
    isFetching,
    isPrevious: false,
    repeat: () => setCount((before) => before + 1),
  };
}
