import type { StoredMemory } from '@stratalog/client';
import { Link } from '../../app/address.tsx';
import { useSession } from '../../app/session.tsx';
import { useAt } from '../../app/time-bar.tsx';
import { useAsk } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Panel } from '../../ui/page.tsx';
import { ValueLooks } from './value-looks.tsx';

/** Importance of a memory of which nothing is known. */
const unknown = 0.5;
const askedMemories = 500;
const shownMemories = 20;

/** Which memories were used more, and which less, than their relevance promised, and whether that counts in the ranking. */
export function Values() {
  const { may } = useSession();
  return (
    <div class="stack">
      {may('auditEvents') && <ValueLooks />}
      <div class="grid">
        <Ranked title="Most useful" isMost />
        <Ranked title="Least useful" isMost={false} />
      </div>
      <p class="muted">
        Importance is 0 to 1, and 0.5 while nothing is known. It counts the outcomes of your own user and of
        callers without a user; nobody sees those of others.
      </p>
    </div>
  );
}

function Ranked({ title, isMost }: { readonly title: string; readonly isMost: boolean }) {
  const at = useAt();
  const memories = useAsk(
    'memories.list',
    [
      {
        filter: { importance: isMost ? { gt: unknown } : { lt: unknown } },
        limit: askedMemories,
        ...(at !== undefined && { asOf: at }),
      },
    ],
    // A filter on the importance reads every memory in reach.
    { once: true },
  );
  return (
    <Panel
      title={title}
      actions={
        <Button kind="quiet" onClick={memories.repeat} disabled={memories.isFetching}>
          Look again
        </Button>
      }
    >
      <Answer of={memories} what="the memories">
        {({ items, nextCursor }) => {
          const sorted = items.toSorted((a, b) => (b.importance - a.importance) * (isMost ? 1 : -1));
          return sorted.length === 0 ? (
            <Empty title={`No memory was used ${isMost ? 'more' : 'less'} than its relevance promised`}>
              Values come from posted outcomes and from feedback on searches.
            </Empty>
          ) : (
            <>
              {sorted.slice(0, shownMemories).map((memory) => (
                <MemoryRow key={memory.id} memory={memory} />
              ))}
              <p class="muted">
                {nextCursor === undefined
                  ? `${items.length.toLocaleString()} in all.`
                  : `Among the ${items.length.toLocaleString()} newest of them; there are more.`}
              </p>
            </>
          );
        }}
      </Answer>
    </Panel>
  );
}

function MemoryRow({ memory: { id, content, importance, feedback } }: { readonly memory: StoredMemory }) {
  const { helpful, irrelevant } = feedback;
  return (
    <Link class="row" to={`/memories/${id}`}>
      <span class="row-text" dir="auto">
        {content}
      </span>
      <span class="muted">
        importance {importance.toFixed(2)}
        {helpful > 0 && `, ${helpful.toLocaleString()} times helpful`}
        {irrelevant > 0 && `, ${irrelevant.toLocaleString()} times irrelevant`}
      </span>
    </Link>
  );
}
