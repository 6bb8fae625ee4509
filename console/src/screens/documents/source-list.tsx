import type { Source } from '@stratalog/client';
import { useRef } from 'preact/hooks';
import { useAddress } from '../../app/address.tsx';
import { useSession } from '../../app/session.tsx';
import { useAsk } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog, type DialogHandle } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { SourceCard } from './source-card.tsx';
import { SourceForm } from './source-form.tsx';

const lookMs = 2_000;
const idleMs = 15_000;

/** What the server reads by itself, with its last and next runs. */
export function SourceList() {
  const { may } = useSession();
  const { values } = useAddress();
  const isRunning = useRef(false);
  const sources = useAsk('sources.list', [{}], { everyMs: isRunning.current ? lookMs : idleMs });
  const all = sources.answer?.items ?? [];
  isRunning.current = all.some(({ state }) => state === 'due');
  const create = useRef<DialogHandle>(null);
  return (
    <section class="stack" aria-label="Sources">
      {may('putSource') && (
        <div>
          <Button onClick={() => create.current?.show()}>New source</Button>
        </div>
      )}
      <Answer of={sources} what="the sources">
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="There is no source yet">
              A source is a feed, a page, a sitemap or a folder of the server that is read on a schedule.
            </Empty>
          ) : (
            <div class="stack">
              {ordered(items, values['source']).map((source) => (
                <SourceCard key={source.id} source={source} />
              ))}
            </div>
          )
        }
      </Answer>
      <Dialog handle={create} title="New source">
        <SourceForm onDone={() => create.current?.close()} />
      </Dialog>
    </section>
  );
}

/** The source that a link names first, then those that need a hand, then by name. */
function ordered(sources: readonly Source[], named: string | undefined): Source[] {
  const rank = ({ id, state, lastRun }: Source): number => {
    if (id === named) return 0;
    return state === 'failing' || lastRun?.problem ? 1 : 2;
  };
  return sources.toSorted((a, b) => rank(a) - rank(b) || a.id.localeCompare(b.id));
}
