import { useState } from 'preact/hooks';
import { Link } from '../../app/address.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { Placed } from './candidates.tsx';
import { reasonsOf, reasonWords, type ExplainedCandidate } from './explanation.ts';
import { nameOf } from './memory-texts.ts';
import { ScoreParts } from './score-parts.tsx';

const shownAtFirst = 10;

/** Candidates that are not in the answer, the best first, each with its reason. */
export function LeftOut({ candidates }: { readonly candidates: readonly ExplainedCandidate[] }) {
  const [isWhole, setWhole] = useState(false);
  if (candidates.length === 0) return <p class="muted">Every candidate is in the answer.</p>;
  return (
    <>
      <p class="muted">
        {reasonsOf(candidates)
          .map(([reason, count]) => `${count}: ${reasonWords[reason]}`)
          .join('; ')}
        .
      </p>
      <ol class="results">
        {candidates.slice(0, isWhole ? undefined : shownAtFirst).map((candidate) => (
          <LeftOutItem key={candidate.memory.id} candidate={candidate} />
        ))}
      </ol>
      {candidates.length > shownAtFirst && (
        <p>
          <Button onClick={() => setWhole(!isWhole)} aria-expanded={isWhole}>
            {isWhole ? 'Show less' : `Show all ${candidates.length}`}
          </Button>
        </p>
      )}
    </>
  );
}

function LeftOutItem({ candidate }: { readonly candidate: ExplainedCandidate }) {
  const { memory, score, reason, parts, ranks, supersededBy } = candidate;
  const [isOpen, setOpen] = useState(false);
  return (
    <li class="result">
      <div class="result-head">
        <Badge>score {score.toFixed(3)}</Badge>
        <Badge>{memory.layer}</Badge>
        {reason && <span>Left out: {reasonWords[reason]}.</span>}
        {supersededBy !== undefined && <Link to={`/memories/${supersededBy}`}>The newer one</Link>}
      </div>
      <p class="row-text" dir="auto">
        {memory.content}
      </p>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Text and parts of its score</summary>
        {isOpen && (
          <>
            <LongText text={memory.content} />
            <p>
              <Link to={`/memories/${memory.id}`}>{nameOf(memory) ?? memory.id}</Link>
            </p>
            <ScoreParts parts={parts} what={`the candidate ${nameOf(memory) ?? memory.id}`} />
            <Placed ranks={ranks} />
          </>
        )}
      </details>
    </li>
  );
}
