import { useEffect, useMemo } from 'preact/hooks';
import type { Search, SearchAnswer } from '@stratalog/client';
import { useAsk } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Bars } from '../../ui/bars.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Panel } from '../../ui/page.tsx';
import { comparedInWords, movesOf } from './compare.ts';
import type { LabRequest, Side } from './lab-settings.ts';
import { ReportOutcome } from './report-outcome.tsx';
import { ResultCard } from './result-card.tsx';
import { SettingsForm } from './settings-form.tsx';

interface LabSideProps {
  readonly side: Side;
  readonly name: string;
  readonly asked: LabRequest;
  /** Results of the search beside it; undefined if there is none. */
  readonly other: readonly string[] | undefined;
  readonly onAnswer: (ids: readonly string[]) => void;
}

/** The settings of one search, and its answer. */
export function LabSide({ side, name, asked: { request, problem }, other, onAnswer }: LabSideProps) {
  return (
    <div class="lab-side">
      <SettingsForm side={side} name={name} isOpen={other !== undefined || problem !== undefined} />
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {request && request.query.trim() !== '' && (
        <PlainAnswer request={request} other={other} onAnswer={onAnswer} />
      )}
    </div>
  );
}

interface AnswerProps extends Pick<LabSideProps, 'other' | 'onAnswer'> {
  readonly request: Search;
}

/** The answer as every caller gets it. */
function PlainAnswer({ request, other, onAnswer }: AnswerProps) {
  const search = useAsk('search', [request], { once: true });
  return (
    <Answer of={search} what="the answer">
      {(answer) => <Results answer={answer} other={other} onAnswer={onAnswer} onRepeat={search.repeat} />}
    </Answer>
  );
}

interface ResultsProps extends Pick<LabSideProps, 'other' | 'onAnswer'> {
  readonly answer: SearchAnswer;
  readonly onRepeat: () => void;
}

function Results({ answer, other, onAnswer, onRepeat }: ResultsProps) {
  const { results, warnings, spaces, searchId } = answer;
  const ids = results.map(({ memory }) => memory.id);
  const key = ids.join();
  useEffect(() => onAnswer(ids), [key]);
  const moves = useMemo(() => other && movesOf(ids, other), [key, other]);
  const missing = other?.filter((id) => !ids.includes(id)).length ?? 0;
  return (
    <Panel
      title="Results"
      note={results.length}
      actions={
        <Button kind="quiet" onClick={onRepeat}>
          Search again
        </Button>
      }
    >
      {moves && <p class="muted">{comparedInWords(moves, missing)}</p>}
      {spaces && (
        <p>
          Spaces searched: {spaces.chosen.join(', ') || 'all'} <Badge>{spaces.because}</Badge>
        </p>
      )}
      {warnings.map(({ code, detail }) => (
        <p key={code}>
          <Badge tone="warn">{code}</Badge> {detail}
        </p>
      ))}
      {results.length === 0 && (
        <Empty title="Nothing answers this question">
          Set a threshold of 0 to see what was found and left out.
        </Empty>
      )}
      <ol class="results">
        {results.map((result) => (
          <ResultCard
            key={result.memory.id}
            result={result}
            searchId={searchId}
            move={moves?.get(result.memory.id)}
          >
            <Bars
              label={`Score of result ${result.rank}`}
              largest={1}
              bars={[
                { name: 'score', value: result.score },
                { name: 'relevance', value: result.relevance },
              ]}
            />
          </ResultCard>
        ))}
      </ol>
      {results.length > 0 && (
        <ReportOutcome key={searchId} searchId={searchId} memories={results.map(({ memory }) => memory)} />
      )}
    </Panel>
  );
}
