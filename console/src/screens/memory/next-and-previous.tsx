import { Link, useAddress } from '../../app/address.tsx';
import { useAt } from '../../app/time-bar.tsx';
import { useAsk } from '../../app/use-ask.ts';
import { listFilter, listValues } from './list-filter.ts';

/** Links to the neighbours of a memory in the list that it was opened from. */
export function NextAndPrevious({ id }: { readonly id: string }) {
  const { values } = useAddress();
  const at = useAt();
  const filter = { ...listFilter(values), ...(at && { asOf: at }) };
  const isOldestFirst = filter.order === 'oldest';
  // Ids sort by creation time, as the list does.
  const older = useAsk('memories.list', [
    { ...filter, filter: { id: { lt: id } }, order: 'newest', limit: 1 },
  ]).answer?.items[0];
  const newer = useAsk('memories.list', [
    { ...filter, filter: { id: { gt: id } }, order: 'oldest', limit: 1 },
  ]).answer?.items[0];
  const [previous, next] = isOldestFirst ? [older, newer] : [newer, older];
  const kept = listValues(values);
  return (
    <nav class="neighbours" aria-label="The list that this memory is in">
      {previous && (
        <Link to={`/memories/${previous.id}`} values={kept}>
          Previous
        </Link>
      )}
      <Link to="/memories" values={kept}>
        List
      </Link>
      {next && (
        <Link to={`/memories/${next.id}`} values={kept}>
          Next
        </Link>
      )}
    </nav>
  );
}
