import type { StoredMemory } from '@stratalog/client';
import { Link, useAddress } from '../../app/address.tsx';
import { useAt } from '../../app/time-bar.tsx';
import { usePages } from '../../app/use-pages.ts';
import { layers } from '../../app/vocabulary.ts';
import { Badge } from '../../ui/badge.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Field, Filters, Select } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { listFilter } from './list-filter.ts';

/** All memories that the caller can see, newest first. */
export default function Memories() {
  const { values, set } = useAddress();
  const at = useAt();
  const { layer, space, tag } = values;
  const query = listFilter(values);
  const { state, order } = query;
  const memories = usePages('memories.list', [{ limit: 100, ...query, ...(at && { asOf: at }) }]);
  const isFiltered = [layer, space, tag, state].some(Boolean);
  return (
    <Page title="Memories" question="What is remembered, newest first?" followsTime>
      <Filters aria-label="Filters">
        <Select
          label="Layer"
          value={layer ?? ''}
          onValue={(value) => set({ layer: value })}
          choices={[['', 'All layers'], ...layers.map((name) => [name, name] as const)]}
        />
        <Field label="Space" value={space ?? ''} onValue={(value) => set({ space: value })} />
        <Field label="Tag" value={tag ?? ''} onValue={(value) => set({ tag: value })} />
        <Select
          label="State"
          value={state ?? ''}
          onValue={(value) => set({ state: value })}
          choices={[
            ['', 'active'],
            ['archived', 'archived'],
            ['deleted', 'deleted'],
          ]}
        />
        <Select
          label="Order"
          value={order ?? ''}
          onValue={(value) => set({ order: value })}
          choices={[
            ['', 'newest first'],
            ['oldest', 'oldest first'],
          ]}
        />
      </Filters>
      <PagedList
        of={memories}
        what="the memories"
        label="Memories"
        rowHeight={62}
        empty={
          <Empty title={isFiltered ? 'No memory matches these filters' : 'Nothing is remembered yet'}>
            {isFiltered ? (
              'Remove a filter to see more.'
            ) : (
              <Link to="/">Store the first memory from Home</Link>
            )}
          </Empty>
        }
      >
        {(memory) => <MemoryRow memory={memory} values={values} />}
      </PagedList>
    </Page>
  );
}

/** One memory in a list. Its link keeps the filters, so that the memory's page can go to the next one of the same list. */
function MemoryRow({
  memory,
  values,
}: {
  readonly memory: StoredMemory;
  readonly values: Readonly<Record<string, string>>;
}) {
  return (
    <Link class="row" to={`/memories/${memory.id}`} values={values}>
      <span class="row-text" dir="auto">
        {memory.content}
      </span>
      <span class="badges muted">
        <Badge>{memory.layer}</Badge>
        {memory.spaces.map((space) => (
          <Badge key={space} tone="accent">
            {space}
          </Badge>
        ))}
        {memory.trust.state === 'quarantined' && <Badge tone="warn">awaiting review</Badge>}
        <Time at={memory.createdAt} />
        <span>{memory.createdBy}</span>
      </span>
    </Link>
  );
}
