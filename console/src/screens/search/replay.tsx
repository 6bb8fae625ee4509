import type { ReplayedSearch } from '@stratalog/client';
import { Link, useAddress } from '../../app/address.tsx';
import { useAsk } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { excerpt } from '../../ui/excerpt.ts';
import { Panel } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import type { Tone } from '../../ui/tone.ts';
import { useMemoryTexts } from './memory-texts.ts';

type Difference = ReplayedSearch['differences'][number];

/** Runs a recorded search again on what it had read, and explains each difference. */
export function Replay({ searchId, at }: { readonly searchId: string; readonly at: string }) {
  const { values, set } = useAddress();
  const isWanted = values['replay'] === '1';
  const replay = useAsk('audit.replay', [searchId, {}], {
    enabled: isWanted,
    once: true,
    keepsPrevious: false,
  });
  if (!isWanted)
    return (
      <p>
        <Button onClick={() => set({ replay: '1' }, 'push')}>Replay it</Button>{' '}
        <span class="muted">Runs it again on exactly what it had read, and explains what differs.</span>
      </p>
    );
  return (
    <Panel title="Replay">
      <Answer of={replay} what="the replay">
        {(answer) => <Differences replay={answer} at={at} />}
      </Answer>
    </Panel>
  );
}

const kinds: Readonly<Record<Difference['kind'], readonly [string, Tone]>> = {
  missing: ['no longer a result', 'danger'],
  added: ['a result only now', 'good'],
  moved: ['moved', 'warn'],
  score: ['other score', 'plain'],
};

const causes: Readonly<Record<Difference['cause'], string>> = {
  erased: 'it, or a memory ranked near it, was erased',
  model: 'another embedding model compares meaning now',
  weights: 'the recorded answer came by another route',
  feedback: 'feedback or learned values have changed',
  scope: 'what the caller could see then is not known exactly',
  changed: 'none of the known causes',
};

function Differences({ replay, at }: { readonly replay: ReplayedSearch; readonly at: string }) {
  const { differences, asRecorded, now } = replay;
  const texts = useMemoryTexts(
    differences.map(({ id }) => id),
    at,
  );
  if (differences.length === 0)
    return (
      <p>
        <Badge tone="good">The same answer</Badge> All {asRecorded.results.length} results have the same place
        and score.
      </p>
    );
  const placeIn = (answer: typeof now, id: string) => {
    const result = answer.results.find(({ memoryId }) => memoryId === id);
    return result ? `${result.rank}.\u00a0${result.score?.toFixed(3) ?? ''}` : '–';
  };
  return (
    <Table
      label="Differences"
      rows={differences}
      keyOf={({ id, kind }) => `${id}-${kind}`}
      columns={[
        {
          name: 'Memory',
          cell: ({ id }) => <Link to={`/memories/${id}`}>{excerpt(texts?.get(id)?.content ?? id, 80)}</Link>,
        },
        {
          name: 'Difference',
          cell: ({ kind }) => <Badge tone={kinds[kind][1]}>{kinds[kind][0]}</Badge>,
        },
        { name: 'Because', cell: ({ cause }) => causes[cause] ?? cause },
        { name: 'Recorded', isNumber: true, cell: ({ id }) => placeIn(asRecorded, id) },
        { name: 'Now', isNumber: true, cell: ({ id }) => placeIn(now, id) },
      ]}
    />
  );
}
