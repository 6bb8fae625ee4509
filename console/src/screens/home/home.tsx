import './home.css';
import { useAsk } from '../../app/use-ask.ts';
import { Link } from '../../app/address.tsx';
import { useSession } from '../../app/session.tsx';
import { Answer } from '../../ui/answer.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { Figure } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { Begin } from './begin.tsx';
import { Today } from './today.tsx';
import { needsOf, type Need } from './needs.ts';

const refreshMs = 10_000;
/** Reading heads is recorded as an event. */
const headMs = 60_000;

/** What needs a person now, what is stored, and how to begin on an empty server. */
export default function Home() {
  const { may } = useSession();
  const stats = useAsk('stats', [{}], { everyMs: refreshMs, enabled: may('stats') });
  const readiness = useAsk('readiness', [], { everyMs: refreshMs });
  const reviews = useAsk('reviews.list', [{ limit: 100 }], {
    everyMs: refreshMs,
    enabled: may('listReviews'),
  });
  const failed = useAsk('documents.list', [{ state: 'failed', limit: 100 }], {
    everyMs: refreshMs,
    enabled: may('listDocuments'),
  });
  const budget = useAsk('admin.budgets.get', [{}], { everyMs: refreshMs, enabled: may('budgets') });
  const heads = useAsk('audit.heads', [{ limit: 1 }], { everyMs: headMs, enabled: may('auditHeads') });
  const needs = needsOf(
    {
      readiness: readiness.answer,
      reviews: reviews.answer && {
        count: reviews.answer.items.length,
        hasMore: reviews.answer.nextCursor !== undefined,
      },
      failedDocuments: failed.answer?.items.length,
      budget: budget.answer,
      stats: stats.answer,
      heads: heads.answer,
    },
    Date.now(),
  );
  const head = heads.answer?.items[0];
  const isEmpty = stats.answer?.total.active === 0 && stats.answer.total.archived === 0;
  return (
    <Page title="Home" question="What needs me now?">
      <div class="needs-place">
        <Answer of={readiness} what="the state of the server">
          {() => <Needs needs={needs} />}
        </Answer>
      </div>
      {isEmpty && may('storeMemory') && <Begin />}
      <Panel title="What is stored">
        <div class="figures-place">
          <Answer of={stats} what="the figures">
            {({ total, access, feedback }) => (
              <div class="figures">
                <Figure
                  name="Memories"
                  value={<Link to="/memories">{total.active.toLocaleString()}</Link>}
                  note={<>{total.characters.toLocaleString()} characters</>}
                />
                <Figure
                  name="Memory reads"
                  value={access.total.toLocaleString()}
                  note={access.lastAt && <Time at={access.lastAt} />}
                />
                <Figure name="Ratings" value={feedback.total.toLocaleString()} />
                {head && (
                  <Figure
                    name="Events in the signed log"
                    value={<Link to="/proof">{head.size.toLocaleString()}</Link>}
                    note={
                      <>
                        signed <Time at={head.at} />
                      </>
                    }
                  />
                )}
              </div>
            )}
          </Answer>
        </div>
      </Panel>
      {may('auditEvents') && <Today />}
      {!isEmpty && may('storeMemory') && (
        <details>
          <summary>Store, connect, ingest</summary>
          <Begin />
        </details>
      )}
    </Page>
  );
}

function Needs({ needs }: { readonly needs: readonly Need[] }) {
  if (needs.length === 0)
    return <p class="all-well">Nothing needs you: the server is ready, and nothing waits for a decision.</p>;
  return (
    <Panel title="Needs you now">
      <ul class="plain-list">
        {needs.map(({ id, tone, figure, what, to, values }) => (
          <li key={id}>
            <Link to={to} values={values} class={`need ${tone}`}>
              <strong>{figure}</strong> <span>{what}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
