import { Link } from '../../app/address.tsx';
import { Badge } from '../../ui/badge.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { Placed } from './candidates.tsx';
import { nameOf } from './memory-texts.ts';
import type { ExplainedCandidate } from './explanation.ts';
import { ScoreParts } from './score-parts.tsx';

const reasons: Readonly<Record<NonNullable<ExplainedCandidate['reason']>, string>> = {
  threshold: 'its score is below the threshold',
  'no-answer': 'even the best candidate is no sure answer, so nothing is shown',
  'far-behind': 'it is far behind the best result',
  superseded: 'a newer memory supersedes it',
  duplicate: 'a memory of a more specific layer says the same',
  combination: 'the parts of the question do not meet in it',
  'top-k': 'there were enough better ones',
};

/** Candidates that are not in the answer, the best first, each with its reason. */
export function LeftOut({ candidates }: { readonly candidates: readonly ExplainedCandidate[] }) {
  if (candidates.length === 0) return <p class="muted">Every candidate is in the answer.</p>;
  return (
    <ol class="results">
      {candidates.map(({ memory, score, reason, parts, ranks }, index) => (
        <li key={memory.id} class="result">
          <div class="result-head">
            <Badge>score {score.toFixed(3)}</Badge>
            <Badge>{memory.layer}</Badge>
            {reason && <Badge tone="warn">{reasons[reason]}</Badge>}
            <Link to={`/memories/${memory.id}`}>{nameOf(memory) ?? memory.id}</Link>
          </div>
          <LongText text={memory.content} />
          {parts.length > 0 && (
            <details>
              <summary>Parts of its score</summary>
              <ScoreParts parts={parts} what={`left out candidate ${index + 1}`} />
              <Placed ranks={ranks} />
            </details>
          )}
        </li>
      ))}
    </ol>
  );
}
