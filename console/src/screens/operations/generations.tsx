import type { Projection } from '@stratalog/client';
import { rounded } from '../../ui/rounded.ts';
import { Facts, Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import type { Generation } from './read-model-state.ts';

const locks = { here: 'this process', elsewhere: 'another process', free: 'no process' } as const;

const columns: readonly Column<Generation>[] = [
  { name: 'Generation', isNumber: true, cell: ({ generation }) => generation },
  { name: 'State', cell: ({ state, active }) => (active ? `${state}, read by queries` : state) },
  { name: 'Position', isNumber: true, cell: ({ position }) => position.toLocaleString() },
  { name: 'Behind', isNumber: true, cell: ({ lag }) => lag.toLocaleString() },
  { name: 'Run by', cell: ({ lock }) => locks[lock] },
  {
    name: 'Same content as the live one',
    cell: ({ active, equal }) => (active || equal === undefined ? '' : equal ? 'yes' : 'no'),
  },
  { name: 'Made by version', cell: ({ signature }) => <code>{signature}</code> },
];

/** The generations of a read model: their checkpoints, partitions, errors, and how a new embedding model compares. */
export function Generations({ model: { name, generations } }: { readonly model: Projection }) {
  return (
    <div class="stack">
      <Table
        label={`Generations of ${name}`}
        rows={generations}
        columns={columns}
        keyOf={({ generation }) => `${generation}`}
      />
      {generations.map(({ generation, error, failingSince, partitions, comparison }) => (
        <div key={generation} class="stack">
          {error !== undefined && (
            <p class="problem">
              Generation {generation}: {error}
              {failingSince !== undefined && (
                <>
                  {' '}
                  (since <Time at={failingSince} />)
                </>
              )}
            </p>
          )}
          {partitions && (
            <Facts
              facts={partitions.map(({ partition, position }) => [
                `partition ${partition}`,
                position.toLocaleString(),
              ])}
            />
          )}
          {comparison && <Comparison comparison={comparison} />}
        </div>
      ))}
    </div>
  );
}

function Comparison({ comparison }: { readonly comparison: NonNullable<Generation['comparison']> }) {
  const { model, liveModel, queries, overlap, judged } = comparison;
  return (
    <Facts
      facts={[
        ['new model', model],
        ['live model', liveModel],
        ['questions compared', queries.toLocaleString()],
        ['first 10 in common', overlap !== undefined && `${Math.round(overlap * 100)} %`],
        [
          'nDCG@10 by feedback',
          judged &&
            `${rounded(judged.ndcg)} against ${rounded(judged.liveNdcg)} of the live model, which this measure favours (${judged.queries.toLocaleString()} questions)`,
        ],
      ]}
    />
  );
}
