import { Badge } from '../../ui/badge.tsx';
import { Facts } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { toBase64 } from './bytes.ts';
import { isProven, type Verdict } from './verdict.ts';

const marks = { good: '✓', bad: '✗', unknown: '?' } as const;
const words = { good: 'holds', bad: 'does not hold', unknown: 'could not be checked' } as const;

/** A verdict: whether it is proven, and each thing that was checked. */
export function Checks({ verdict }: { readonly verdict: Verdict | undefined }) {
  if (!verdict) return <p class="loading">Verifying in this browser…</p>;
  const { checks, head, leaf } = verdict;
  const isWrong = checks.some(({ result }) => result === 'bad');
  return (
    <div class="checks" role="status">
      <p>
        {isProven(verdict) ? (
          <Badge tone="good">proven</Badge>
        ) : isWrong ? (
          <Badge tone="danger">not proven</Badge>
        ) : (
          <Badge tone="warn">not complete</Badge>
        )}
      </p>
      <ul>
        {checks.map(({ name, result, detail }) => (
          <li key={name} class={result}>
            <span class="mark" aria-label={words[result]}>
              {marks[result]}
            </span>
            <strong>{name}</strong> {detail}
          </li>
        ))}
      </ul>
      <Facts
        facts={[
          ['Event', leaf && `${leaf.type}, revision ${leaf.revision} of ${leaf.stream}`],
          ['At', leaf && <Time at={leaf.time} exact />],
          ['Hash of its stored bytes', leaf && <code>{leaf.hash}</code>],
          ['Signed head', head && `${head.size.toLocaleString()} events of ${head.origin}`],
          ['Root', head && <code>{toBase64(head.root)}</code>],
        ]}
      />
    </div>
  );
}
