import type { AuditEvent } from '@stratalog/client';
import { useState } from 'preact/hooks';
import { useAt } from '../../app/time-bar.tsx';
import { useAsk } from '../../app/use-ask.ts';
import { usePages } from '../../app/use-pages.ts';
import { Answer } from '../../ui/answer.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Panel } from '../../ui/page.tsx';
import { PagedAnswer } from '../../ui/paged-list.tsx';
import { Facts } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

/** The searches and contexts that returned a memory. */
export function Prompts({ id }: { readonly id: string }) {
  const at = useAt();
  const found = usePages(
    'audit.events',
    [{ memory: id, type: ['MemoriesAccessed'], order: 'newest', limit: 20, ...(at && { to: at }) }],
    { once: true },
  );
  return (
    <Panel title="Prompts that included it">
      <PagedAnswer
        of={found}
        what="the searches"
        empty={<Empty title="No search and no context has returned it">It appears here when one does.</Empty>}
      >
        {(events) => (
          <ul class="plain-list">
            {events.map((event) => (
              <Prompt key={event.id} event={event} memoryId={id} />
            ))}
          </ul>
        )}
      </PagedAnswer>
      {found.hasMore && <Button onClick={found.more}>Show earlier ones</Button>}
    </Panel>
  );
}

function Prompt({ event, memoryId }: { readonly event: AuditEvent; readonly memoryId: string }) {
  const [isOpen, setOpen] = useState(false);
  const { how, searchId } = event.data as { how?: string; searchId?: string };
  return (
    <li>
      <Badge tone={how === 'context' ? 'accent' : 'plain'}>{how ?? 'search'}</Badge> by {event.actor}
      {event.onBehalfOf !== undefined && ` for ${event.onBehalfOf}`} · <Time at={event.at} />
      {searchId !== undefined && (
        <Button kind="quiet" onClick={() => setOpen(!isOpen)} aria-expanded={isOpen}>
          {isOpen ? 'Hide the search' : 'Show the search'}
        </Button>
      )}
      {isOpen && searchId !== undefined && <Asked searchId={searchId} memoryId={memoryId} />}
    </li>
  );
}

function Asked({ searchId, memoryId }: { readonly searchId: string; readonly memoryId: string }) {
  const search = useAsk('audit.search', [searchId, {}], { once: true });
  return (
    <Answer of={search} what="the search">
      {({ request, results, outcome, route }) => {
        const result = results.find((one) => one.memoryId === memoryId);
        return (
          <Facts
            facts={[
              ['Question', request.query ?? 'erased'],
              ['Rank', result && `${result.rank} of ${results.length}`],
              ['Score', result?.score],
              ['Relevance', result?.relevance],
              ['Route', route],
              ['Session', request.sessionId],
              ['Outcome', outcome.kind],
            ]}
          />
        );
      }}
    </Answer>
  );
}
