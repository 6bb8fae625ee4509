import type { SearchExplanation } from '../../packages/client/src/index.ts';
import { preview, printable, table } from './output.ts';

/** How many candidates that were left out are shown; `--json` shows all. */
const maxLeftOut = 10;

const reasons: Readonly<Record<NonNullable<Candidate['reason']>, string>> = {
  threshold: 'below the threshold',
  'no-answer': 'nothing surely answers',
  'far-behind': 'far behind the best',
  superseded: 'superseded',
  duplicate: 'says the same',
  combination: 'other parts of the question',
  'top-k': 'enough are better',
};

type Candidate = SearchExplanation['candidates'][number];

/** An explanation at a terminal: the route, the searches with their sources, and what each score is made of. */
export function explanationText({ routing, cut, searches, candidates }: SearchExplanation): string {
  const kept = candidates.filter(({ state }) => state === 'kept');
  const leftOut = candidates.filter(({ state }) => state === 'left-out');
  const more = leftOut.length - maxLeftOut;
  return [
    `${routing.route} route (${routing.reason}): complexity ${routing.score.toFixed(2)} of ${routing.threshold.toFixed(2)}`,
    ...(cut ? [`results score at least ${cut.leastScore.toFixed(3)} (${cut.kind})`] : []),
    ...searches.map(searchText),
    '',
    candidates.length === 0
      ? 'No candidates.'
      : table([
          ['', 'score', 'log-odds', 'found by', 'memory', ''],
          ...kept.map(row),
          ...leftOut.slice(0, maxLeftOut).map(row),
        ]),
    ...(more > 0 ? [`and ${more} more that were left out; --json shows them`] : []),
  ].join('\n');
}

function searchText({ purpose, text, candidates, sources }: SearchExplanation['searches'][number]): string {
  const found = sources.map(
    ({ source, inPeriods, found: count, durationMs }) =>
      `${source}${inPeriods ? ' in its times' : ''} ${count} (${durationMs.toFixed(1)} ms)`,
  );
  return `${purpose}: ${preview(text, 60)} · ${candidates} candidates · ${found.join(', ')}`;
}

function row({ memory, rank, reason, score, parts, ranks }: Candidate): string[] {
  return [
    rank === undefined ? '-' : String(rank),
    score.toFixed(3),
    parts
      .map(({ part, logOdds }) => `${part} ${logOdds < 0 ? '−' : '+'}${Math.abs(logOdds).toFixed(2)}`)
      .join(' '),
    [...new Set(ranks.map(({ source, rank: place }) => `${source} ${place}`))].join(', '),
    `${preview(memory.content, 50)}  ${printable(memory.externalId ?? memory.id)}`,
    reason === undefined ? '' : reasons[reason],
  ];
}
