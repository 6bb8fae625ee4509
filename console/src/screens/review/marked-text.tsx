import { useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { beginningOf, type Segment } from './segments.ts';

const shownCharacters = 1_200;

/** A text in which the words that another text lacks are marked. */
export function MarkedText({ segments }: { readonly segments: readonly Segment[] }) {
  const [isWhole, setWhole] = useState(false);
  const length = segments.reduce((sum, { text }) => sum + text.length, 0);
  const isLong = length > shownCharacters;
  const shown = isLong && !isWhole ? beginningOf(segments, shownCharacters) : segments;
  return (
    <div class="long-text">
      <p dir="auto">
        {shown.map(({ text, differs }, index) => (differs ? <mark key={index}>{text}</mark> : text))}
        {isLong && !isWhole && '…'}
      </p>
      {isLong && (
        <Button kind="quiet" onClick={() => setWhole(!isWhole)} aria-expanded={isWhole}>
          {isWhole ? 'Show less' : `Show all ${length.toLocaleString()} characters`}
        </Button>
      )}
    </div>
  );
}
