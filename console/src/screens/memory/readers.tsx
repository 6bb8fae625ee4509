import { Link } from '../../app/address.tsx';
import { useAt } from '../../app/time-bar.tsx';
import { usePages } from '../../app/use-pages.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Panel } from '../../ui/page.tsx';
import { PagedAnswer } from '../../ui/paged-list.tsx';
import { Time } from '../../ui/time.tsx';
import { groupReads } from './group-reads.ts';

/** Who read a memory or its history by its id, not through a search. */
export function Readers({ id }: { readonly id: string }) {
  const at = useAt();
  const reads = usePages(
    'audit.events',
    [{ memory: id, type: ['AuditRead'], order: 'newest', limit: 100, ...(at && { to: at }) }],
    { once: true },
  );
  return (
    <Panel
      title="Who read it"
      actions={
        <Link to="/audit" values={{ memory: id }}>
          Everything about it in the audit
        </Link>
      }
    >
      <PagedAnswer
        of={reads}
        what="the readers"
        empty={
          <Empty title="No recorded read">
            Reads through a search are listed under “Prompts that included it”.
          </Empty>
        }
      >
        {(events) => (
          <ul class="plain-list">
            {groupReads(events).map(({ who, what, count, last }) => (
              <li key={`${who} ${what}`}>
                {who} · {what} · {count === 1 ? 'once' : `${count} times`}, last <Time at={last} />
              </li>
            ))}
          </ul>
        )}
      </PagedAnswer>
      {reads.hasMore && <Button onClick={reads.more}>Show earlier ones</Button>}
    </Panel>
  );
}
