import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { SearchAnswer, SearchResult } from '@stratalog/client';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Panel } from '../../ui/page.tsx';
import { comparedInWords, movesOf } from './compare.ts';
import { ReportOutcome } from './report-outcome.tsx';
import { ResultCard } from './result-card.tsx';

/** What ties an answer to the one beside it. */
export interface ComparedProps {
  /** The answer beside it; undefined if there is none. */
  readonly other: AnswerBeside | undefined;
  readonly onAnswer: (answer: AnswerBeside) => void;
}

/** What one answer needs to know of the one beside it. */
export interface AnswerBeside {
  /** Ids of its results, best first. */
  readonly ids: readonly string[];
  /** Why it left memories out, by id, as far as that is explained. */
  readonly leftOut: Readonly<Record<string, string>>;
}

interface ResultsProps<Result extends SearchResult>
  extends ComparedProps, Pick<SearchAnswer, 'searchId' | 'warnings' | 'spaces'> {
  readonly results: readonly Result[];
  readonly onRepeat: () => void;
  readonly leftOut?: AnswerBeside['leftOut'];
  /** Why a result scores what it does. */
  readonly children: (result: Result) => ComponentChildren;
}

/** The results of one search, with what moved against the other one. */
export function Results<Result extends SearchResult>({
  results,
  searchId,
  warnings,
  spaces,
  other,
  onAnswer,
  onRepeat,
  leftOut = {},
  children,
}: ResultsProps<Result>) {
  const ids = results.map(({ memory }) => memory.id);
  const key = ids.join();
  useEffect(() => onAnswer({ ids, leftOut }), [searchId]);
  const moves = useMemo(() => other && movesOf(ids, other.ids), [key, other]);
  const missing = other?.ids.filter((id) => !ids.includes(id)).length ?? 0;
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
            leftOutThere={other?.leftOut[result.memory.id]}
          >
            {children(result)}
          </ResultCard>
        ))}
      </ol>
      {results.length > 0 && (
        <ReportOutcome key={searchId} searchId={searchId} memories={results.map(({ memory }) => memory)} />
      )}
    </Panel>
  );
}
