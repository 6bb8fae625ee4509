import type { RecordedAnswer, StoredMemory, WhatIfAnswer } from '@stratalog/client';
import { Link } from '../../app/address.tsx';
import { Badge } from '../../ui/badge.tsx';
import { excerpt } from '../../ui/excerpt.ts';
import { Panel } from '../../ui/page.tsx';
import { Figure, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useMemoryTexts } from '../search/memory-texts.ts';

type Answer = WhatIfAnswer['answers'][number];

const words = { missing: 'gone', added: 'new', moved: 'moved', score: 'other score' } as const;

/** What would be different: both answers side by side, and what was derived from the events that are left out. */
export function WhatIfAnswers({ answer }: { readonly answer: WhatIfAnswer }) {
  const { leftOut, answers, summaries, policies, values } = answer;
  return (
    <>
      <div class="figures">
        <Figure name="Events left out" value={leftOut.events.toLocaleString()} />
        <Figure name="Memories never stored" value={leftOut.memories.length.toLocaleString()} />
        <Figure name="Summaries that would differ" value={summaries.length.toLocaleString()} />
        <Figure name="Policies that learned from them" value={policies.length.toLocaleString()} />
        <Figure name="Values that would differ" value={values.length.toLocaleString()} />
      </div>
      {answers.map((one) => (
        <OneAnswer key={one.searchId ?? 'query'} answer={one} />
      ))}
      {summaries.length > 0 && (
        <Panel title="Summaries that would be missing or different">
          <ul>
            {summaries.map(({ layer, depth, scope, generatedAt, instead, leftOut: sources }) => (
              <li key={`${layer} ${depth} ${JSON.stringify(scope)}`}>
                {depth} of {layer} {Object.values(scope).join('/')}: made <Time at={generatedAt} /> from{' '}
                {sources.length} memories that are left out{instead ? '; an earlier one would be there' : ''}
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}

function OneAnswer({ answer: { searchId, before, after, differences } }: { readonly answer: Answer }) {
  const kinds = new Map(differences.map((one) => [one.id, one]));
  const texts = useMemoryTexts(
    [...before.results, ...after.results].map(({ memoryId }) => memoryId),
    undefined,
  );
  return (
    <Panel
      title={searchId === undefined ? 'The question, asked now' : `Search ${searchId.slice(0, 36)}`}
      note={
        differences.length === 0
          ? 'the same answer'
          : differences.length === 1
            ? '1 difference'
            : `${differences.length} differences`
      }
    >
      <div class="grid">
        <Results title="As it was" answer={before} kinds={kinds} texts={texts} />
        <Results title="Without them" answer={after} kinds={kinds} texts={texts} />
      </div>
    </Panel>
  );
}

interface ResultsProps {
  readonly title: string;
  readonly answer: RecordedAnswer;
  readonly kinds: ReadonlyMap<string, Answer['differences'][number]>;
  /** Undefined while they are loaded. */
  readonly texts: ReadonlyMap<string, StoredMemory> | undefined;
}

function Results({ title, answer, kinds, texts }: ResultsProps) {
  return (
    <div>
      <h3>{title}</h3>
      <Table
        label={title}
        rows={answer.results}
        keyOf={({ memoryId }) => memoryId}
        columns={[
          { name: '#', cell: ({ rank }) => rank, isNumber: true },
          {
            name: 'Memory',
            cell: ({ memoryId }) => (
              <Link to={`/memories/${memoryId}`}>
                {excerpt(texts?.get(memoryId)?.content ?? memoryId, 90)}
              </Link>
            ),
          },
          { name: 'Score', cell: ({ score, relevance }) => (score ?? relevance).toFixed(2), isNumber: true },
          {
            name: '',
            cell: ({ memoryId }) => {
              const difference = kinds.get(memoryId);
              return (
                difference && (
                  <Badge tone={difference.cause === 'left-out' ? 'danger' : 'warn'}>
                    {words[difference.kind]}
                  </Badge>
                )
              );
            },
          },
        ]}
      />
    </div>
  );
}
