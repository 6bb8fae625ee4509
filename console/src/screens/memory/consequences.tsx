import type { StoredMemory } from '@stratalog/client';
import { useSession } from '../../app/session.tsx';
import { useAsk } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Table } from '../../ui/table.tsx';

/** What refers to a memory, and where it is held: what a deletion or an erasure affects. */
export function Consequences({ memory }: { readonly memory: StoredMemory }) {
  const { may } = useSession();
  const related = useAsk('memories.related', [memory.id, { depth: 1 }]);
  const summaries = useAsk('summaries.list', [{ layer: memory.layer }]);
  const quoting = summaries.answer?.items.filter(({ sources }) =>
    sources.some(({ id }) => id === memory.id),
  ).length;
  return (
    <>
      <ul>
        <li>
          {related.answer === undefined
            ? 'Counting the links…'
            : `${related.answer.items.length} memories are linked with it, and these links are no longer followed.`}
        </li>
        <li>
          {quoting === undefined
            ? 'Counting the summaries…'
            : `${quoting} summaries quote it and are made again without it.`}
        </li>
        <li>
          {memory.accessCount === 0
            ? 'No search has returned it yet.'
            : `Searches and contexts returned it ${memory.accessCount.toLocaleString()} times; they will not any more.`}
        </li>
      </ul>
      {may('memorySurfaces') && <Surfaces id={memory.id} />}
    </>
  );
}

function Surfaces({ id }: { readonly id: string }) {
  const surfaces = useAsk('memories.surfaces', [id, {}], { once: true });
  return (
    <Answer of={surfaces} what="where it is held">
      {({ items }) => (
        <Table
          label="Where it is held"
          rows={items.filter(({ count }) => count > 0)}
          keyOf={({ name }) => name}
          columns={[
            { name: 'Held in', cell: ({ name }) => name },
            { name: 'Entries', cell: ({ count }) => count.toLocaleString(), isNumber: true },
          ]}
        />
      )}
    </Answer>
  );
}
