import type { Search, SearchExplanation } from '@stratalog/client';
import { useAsk } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Bars } from '../../ui/bars.tsx';
import { Panel } from '../../ui/page.tsx';
import { Candidates, Placed } from './candidates.tsx';
import { greatestPart, reasonWords, type ExplainedCandidate } from './explanation.ts';
import { LeftOut } from './left-out.tsx';
import { Results, type ComparedProps } from './results.tsx';
import { RouteView, TrajectoryView } from './route.tsx';
import { ScoreParts } from './score-parts.tsx';

interface AnswerProps extends ComparedProps {
  readonly request: Search;
  /** Which of two answers it is, for readers who do not see their places. */
  readonly where: string;
}

/** The answer as every caller gets it. */
export function PlainAnswer({ request, where: _, ...compared }: AnswerProps) {
  const search = useAsk('search', [request], { once: true });
  return (
    <Answer of={search} what="the answer">
      {(answer) => (
        <Results {...answer} {...compared} onRepeat={search.repeat}>
          {({ rank, score, relevance }) => (
            <Bars
              label={`Score of result ${rank}`}
              largest={1}
              bars={[
                { name: 'score', value: score },
                { name: 'relevance', value: relevance },
              ]}
            />
          )}
        </Results>
      )}
    </Answer>
  );
}

type Kept = ExplainedCandidate & { readonly rank: number };

const isKept = (candidate: ExplainedCandidate): candidate is Kept => candidate.rank !== undefined;

/** The same answer with everything that led to it, for auditors and admins. */
export function ExplainedAnswer({ request, where, ...compared }: AnswerProps) {
  const search = useAsk('explainSearch', [request], { once: true });
  return (
    <Answer of={search} what="the answer and its explanation">
      {(answer) => (
        <div class="lab-side">
          <Results
            {...answer}
            results={answer.candidates.filter(isKept)}
            leftOut={leftOutOf(answer.candidates)}
            {...compared}
            onRepeat={search.repeat}
          >
            {({ rank, parts, ranks }) => (
              <>
                <ScoreParts parts={parts} what={`result ${rank}`} largest={greatestPart(answer.candidates)} />
                <Placed ranks={ranks} />
              </>
            )}
          </Results>
          <Why explanation={answer} where={where} />
        </div>
      )}
    </Answer>
  );
}

function leftOutOf(candidates: readonly ExplainedCandidate[]): Record<string, string> {
  return Object.fromEntries(
    candidates.flatMap(({ memory, reason }) => (reason ? [[memory.id, reasonWords[reason]]] : [])),
  );
}

function Why({ explanation, where }: { readonly explanation: SearchExplanation; readonly where: string }) {
  const { routing, searches, candidates, cut, durationMs, embeddingModel } = explanation;
  const leftOut = candidates.filter(({ state }) => state === 'left-out');
  return (
    <>
      <Panel title="Route" note={`${Math.round(durationMs)} ms, ${embeddingModel ?? 'words alone'}`}>
        <RouteView choice={routing} />
        {routing.trajectory && <TrajectoryView trajectory={routing.trajectory} where={where} />}
      </Panel>
      <Panel title="Candidates by source">
        <Candidates searches={searches} where={where} />
      </Panel>
      <Panel title="Left out" note={leftOut.length}>
        {cut && (
          <p>
            {cut.kind === 'focused'
              ? 'Focused: nothing is shown unless the best surely answers, and nothing far behind it. '
              : 'The threshold alone decides. '}
            A result scores at least {cut.leastScore.toFixed(3)} here.
          </p>
        )}
        <LeftOut candidates={leftOut} />
      </Panel>
    </>
  );
}
