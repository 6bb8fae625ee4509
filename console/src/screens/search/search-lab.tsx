import { useState } from 'preact/hooks';
import { useAddress } from '../../app/address.tsx';
import { useSession } from '../../app/session.tsx';
import { useAt } from '../../app/time-bar.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Field, Filters } from '../../ui/field.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { comparisonOf, isComparison, requestOf, withoutComparison, type Side } from './lab-settings.ts';
import { LabSide } from './lab-side.tsx';
import { RecentSearches } from './recent-searches.tsx';
import { RecordedSearch } from './recorded-search.tsx';
import type { AnswerBeside } from './results.tsx';
import './search.css';

const sideNames: Readonly<Record<Side, string>> = { '': 'Settings', 'b.': 'Settings of the other search' };

/** Asks a question and shows why each result is there and others are not; two settings side by side. */
export default function SearchLab() {
  const { values, set } = useAddress();
  const { may } = useSession();
  const at = useAt();
  const query = values['q'] ?? '';
  const isCompared = isComparison(values);
  const sides: readonly Side[] = isCompared ? ['', 'b.'] : [''];
  // Each side reports its results and what it left out, so that the other can mark what moved and why.
  const [answers, setAnswers] = useState<Readonly<Partial<Record<Side, AnswerBeside>>>>({});
  return (
    <Page title="Search lab" question="Why this result, and why not that one?" followsTime>
      {values['search'] !== undefined && may('auditSearch') && (
        <RecordedSearch key={values['search']} searchId={values['search']} />
      )}
      <Filters aria-label="Question">
        <Field
          label="Question"
          type="search"
          isSearch
          value={query}
          onValue={(q) => set({ q, search: undefined, replay: undefined }, 'push')}
        />
        <Button kind="primary" type="submit">
          Search
        </Button>
        <Button
          onClick={() => set(isCompared ? withoutComparison() : comparisonOf(values), 'push')}
          aria-pressed={isCompared}
        >
          {isCompared ? 'Stop comparing' : 'Compare two settings'}
        </Button>
      </Filters>
      <div class={isCompared ? 'lab compared' : 'lab'}>
        {sides.map((side) => (
          <LabSide
            key={side}
            side={side}
            name={sideNames[side]}
            asked={requestOf(values, side, at)}
            other={isCompared ? answers[side === '' ? 'b.' : ''] : undefined}
            onAnswer={(answer) => setAnswers((before) => ({ ...before, [side]: answer }))}
          />
        ))}
      </div>
      {query === '' && values['search'] === undefined && (
        <Panel title="Ask something">
          <Empty title="No question yet">
            Type a question as an agent would ask it, and press Enter. Compare two settings, two times (As of)
            or two models (spaces with different models) beside each other.
          </Empty>
        </Panel>
      )}
      {may('auditEvents') && <RecentSearches />}
    </Page>
  );
}
