import type { SearchExplanation } from '@stratalog/client';
import { Badge } from '../../ui/badge.tsx';
import { rounded } from '../../ui/rounded.ts';
import { Facts, Table } from '../../ui/table.tsx';

type ExplainedSearch = SearchExplanation['searches'][number];

/** What each kind of source compares. */
const sourceWords: Readonly<Record<ExplainedSearch['sources'][number]['source'], string>> = {
  dense: 'meaning of whole texts',
  passages: 'meaning of passages',
  lexical: 'words',
  'space-model': 'meaning, by the model of a space',
  scan: 'everything, in the past',
};

const purposeWords: Readonly<Record<ExplainedSearch['purpose'], string>> = {
  question: 'The question',
  part: 'A part of the question',
  successors: 'What supersedes the results',
};

/** Where candidates came from: each source with how many it found, and in what time. */
export function Candidates({
  searches,
  where,
}: {
  readonly searches: readonly ExplainedSearch[];
  /** Which answer they belong to, after "Sources of search 1". */
  readonly where: string;
}) {
  if (searches.length === 0) return <p class="muted">Nothing was searched.</p>;
  return (
    <>
      {searches.map((search, index) => (
        <section key={index} class="lab-side">
          <h3>
            {purposeWords[search.purpose]} {searches.length > 1 && <span class="muted">“{search.text}”</span>}
          </h3>
          <Facts
            facts={[
              ['Words', search.words.join(' ')],
              ['Candidates', `${search.candidates} in total, at most ${search.limit} from each source`],
              [
                'Time',
                `${rounded(search.preparationMs)} ms to prepare, ${rounded(search.candidatesMs)} ms to find, ${rounded(search.rankingMs)} ms to score`,
              ],
            ]}
          />
          <Table
            label={`Sources of search ${index + 1} ${where}`}
            rows={search.sources}
            keyOf={({ source, inPeriods }) => `${source}-${inPeriods}`}
            columns={[
              {
                name: 'Source',
                cell: ({ source, inPeriods }) => (
                  <>
                    {sourceWords[source]} {inPeriods && <Badge>within the named time</Badge>}
                  </>
                ),
              },
              { name: 'Found', isNumber: true, cell: ({ found }) => found },
              { name: 'ms', isNumber: true, cell: ({ durationMs }) => rounded(durationMs) },
            ]}
          />
        </section>
      ))}
    </>
  );
}

/** Where the sources placed a candidate. */
export function Placed({ ranks }: { readonly ranks: SearchExplanation['candidates'][number]['ranks'] }) {
  if (ranks.length === 0) return null;
  return (
    <p class="muted">
      Found as{' '}
      {ranks
        .map(
          ({ source, rank, search }) =>
            `no. ${rank} by ${sourceWords[source]}${search > 0 ? ` in search ${search + 1}` : ''}`,
        )
        .join(', ')}
      .
    </p>
  );
}
