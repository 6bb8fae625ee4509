import { useState } from 'preact/hooks';
import { Button } from './button.tsx';

const shownCharacters = 600;

/** A text of a memory. A long one is cut, says how long it is, and opens whole. It is always text, never markup. */
export function LongText({ text, open = false }: { readonly text: string; readonly open?: boolean }) {
  const [isWhole, setWhole] = useState(open);
  const isLong = text.length > shownCharacters;
  return (
    <div class="long-text">
      <p dir="auto">{isWhole || !isLong ? text : `${text.slice(0, shownCharacters)}…`}</p>
      {isLong && !open && (
        <Button kind="quiet" onClick={() => setWhole(!isWhole)} aria-expanded={isWhole}>
          {isWhole ? 'Show less' : `Show all ${text.length.toLocaleString()} characters`}
        </Button>
      )}
    </div>
  );
}
