import type { ExperienceTrace } from '@stratalog/client';
import { Link, useAddress } from '../../app/address.tsx';
import { useAsk } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Field, Filters, Select } from '../../ui/field.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { Panel } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';

const outcomes = ['success', 'partial_success', 'failure', 'pending'] as const;
const outcomeTones = {
  success: 'good',
  partial_success: 'warn',
  failure: 'danger',
  pending: 'plain',
} as const;
const outcomeWords = {
  success: 'success',
  partial_success: 'partial success',
  failure: 'failure',
  pending: 'outcome not known yet',
} as const;
/** From these similarities on; by default from where questions ask nearly the same. */
const thresholds = ['0.8', '0.6', '0.4'] as const;

/** Earlier attempts at questions like one that is typed. */
export function Attempts() {
  const { values, set } = useAddress();
  const query = values['query'] ?? '';
  const outcome = outcomes.find((one) => one === values['outcome']);
  const threshold = thresholds.find((one) => one === values['similar']) ?? thresholds[0];
  const history = useAsk(
    'reasoning.history',
    [{ query, threshold: Number(threshold), limit: 50, ...(outcome && { outcome }) }],
    { enabled: query !== '' },
  );
  return (
    <Panel title="Attempts" note="at questions like this one">
      <Filters aria-label="Attempts">
        <Field
          label="Question"
          type="search"
          isSearch
          value={query}
          onValue={(value) => set({ query: value })}
        />
        <Select
          label="Outcome"
          value={outcome ?? ''}
          onValue={(value) => set({ outcome: value })}
          choices={[['', 'all'], ...outcomes.map((one) => [one, outcomeWords[one]] as const)]}
        />
        <Select
          label="Similarity"
          value={threshold}
          onValue={(value) => set({ similar: value })}
          choices={thresholds.map((one) => [one, `at least ${one}`] as const)}
        />
      </Filters>
      {query === '' ? (
        <p class="muted">Type a question and press Enter to see how similar ones were approached.</p>
      ) : (
        <Answer of={history} what="the attempts">
          {({ items, warnings }) => (
            <>
              {warnings.map(({ code, detail }) => (
                <p key={code} class="as-of">
                  {detail}
                </p>
              ))}
              {items.length === 0 && (
                <Empty title="No attempt at a similar question">
                  Lower the similarity, or remove the outcome, to see more.
                </Empty>
              )}
              {items.map(({ trace, similarity }) => (
                <Attempt key={trace.id} trace={trace} similarity={similarity} />
              ))}
            </>
          )}
        </Answer>
      )}
    </Panel>
  );
}

function Attempt({ trace, similarity }: { readonly trace: ExperienceTrace; readonly similarity: number }) {
  const { query, approach, outcome, failureReason, successFactors, origin, createdAt, createdBy } = trace;
  return (
    <div class="row">
      <strong dir="auto">{query}</strong>
      <LongText text={approach} />
      {failureReason !== undefined && <LongText text={`Failed: ${failureReason}`} />}
      {Array.isArray(successFactors) && successFactors.length > 0 && (
        <LongText text={`Helped: ${successFactors.join('; ')}`} />
      )}
      <span class="badges muted">
        <Badge tone={outcomeTones[outcome]}>{outcomeWords[outcome]}</Badge>
        <span>similarity {similarity.toFixed(2)}</span>
        <span>{origin === 'search' ? 'recorded by a search' : `recorded by ${createdBy}`}</span>
        <Time at={createdAt} />
        {trace.memoriesUsed.slice(0, 5).map((id, index) => (
          <Link key={id} to={`/memories/${id}`}>
            memory {index + 1}
          </Link>
        ))}
      </span>
    </div>
  );
}
