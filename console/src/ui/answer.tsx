import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { isProblem, ProblemError, UnreachableError } from '@stratalog/client';
import { isRefusal } from '../app/refusal.ts';
import type { Asked } from '../app/use-ask.ts';
import { Button } from './button.tsx';

/** After this time, a view says that the server is slow. */
const slowMs = 3_000;

/** Whether the server has no such operation, rather than no such thing. */
const isUnknownPath = (error: Error): boolean =>
  isProblem(error, 'not-found') && /no such path/.test(error.message);

/** What went wrong and what the caller can do, in the server's words if it has answered. */
export function problemText(error: Error): string {
  if (isUnknownPath(error))
    return 'The server does not know this call: it runs an older version than this page. Reload the page when it was upgraded.';
  if (error instanceof ProblemError) return error.message;
  if (error instanceof UnreachableError) return 'The server cannot be reached.';
  return error.message;
}

interface AnswerProps<Value> {
  readonly of: Asked<Value>;
  /** What is loaded, as in "Loading the history". */
  readonly what: string;
  readonly children: (answer: NonNullable<Value>) => ComponentChildren;
}

/** The answer of a call; until it comes, a note that it is loading, slow or failed. An earlier answer stays while a repetition fails. */
export function Answer<Value>({ of, what, children }: AnswerProps<Value>): VNode {
  const { answer, error, repeat, isPrevious } = of;
  if (answer === undefined || answer === null)
    return error ? <Trouble error={error} onRepeat={repeat} /> : <Loading what={what} />;
  return (
    <div class={isPrevious ? 'previous' : ''} aria-busy={isPrevious}>
      {error && <Trouble error={error} onRepeat={repeat} />}
      {children(answer)}
    </div>
  );
}

/** A failed call. Unless it was refused for good, the view repeats it later by itself, and the button repeats it at once. */
export function Trouble({ error, onRepeat }: { readonly error: Error; readonly onRepeat?: () => void }) {
  const errors = error instanceof ProblemError ? (error.errors ?? []) : [];
  return (
    <div class="problem" role="alert">
      <p>{problemText(error)}</p>
      {errors.length > 0 && (
        <ul>
          {errors.map(({ path, message }) => (
            <li key={path}>
              <code>{path}</code>: {message}
            </li>
          ))}
        </ul>
      )}
      {onRepeat && !isRefusal(error) && (
        <Button kind="quiet" onClick={onRepeat}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** Says what is loaded, and after a few seconds that it is slow. */
export function Loading({ what }: { readonly what: string }) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), slowMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p class="loading" role="status">
      {isSlow ? `Still loading ${what}: the server is slow to answer.` : `Loading ${what}…`}
    </p>
  );
}
