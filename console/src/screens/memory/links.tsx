import type { RelatedMemoriesAnswer, StoredMemory } from '@stratalog/client';
import { Link } from '../../app/address.tsx';
import { useSession } from '../../app/session.tsx';
import { useAt } from '../../app/time-bar.tsx';
import { useAsk, useChange } from '../../app/use-ask.ts';
import { Answer, Trouble } from '../../ui/answer.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { excerpt } from '../../ui/excerpt.ts';
import { Panel } from '../../ui/page.tsx';
import { linkWords } from './link-words.ts';
import { Neighbourhood } from './neighbourhood.tsx';

type Related = RelatedMemoriesAnswer['items'][number];

/** What replaced a memory, and what it is linked with: a list, and the nearest ones as a picture. */
export function Links({ memory }: { readonly memory: StoredMemory }) {
  const at = useAt();
  const related = useAsk('memories.related', [memory.id, { depth: 2, ...(at && { asOf: at }) }]);
  return (
    <Answer of={related} what="the links">
      {({ items, truncated }) => {
        const direct = items.filter(({ depth }) => depth === 1);
        const successors = direct.filter(isSuccessor);
        return (
          <div class="stack">
            {successors.length > 0 && (
              <Panel title="What replaced it">
                <ul class="plain-list">
                  {successors.map((one) => (
                    <li key={one.memory.id}>
                      <Badge tone="warn">superseded by</Badge>{' '}
                      <Link to={`/memories/${one.memory.id}`}>{excerptOf(one)}</Link>
                    </li>
                  ))}
                </ul>
              </Panel>
            )}
            <Panel
              title="Links"
              note={`${direct.length} direct, ${items.length - direct.length}${truncated ? ' or more' : ''} one step further`}
            >
              {direct.length === 0 ? (
                <Empty title="It is linked with no other memory">
                  Link it above, or let summaries, facts and contradictions do so.
                </Empty>
              ) : (
                <div class="grid">
                  <ul class="plain-list">
                    {direct.map((one) => (
                      <LinkedMemory
                        key={`${one.type} ${one.direction} ${one.memory.id}`}
                        of={memory}
                        related={one}
                      />
                    ))}
                  </ul>
                  <Neighbourhood id={memory.id} items={items} />
                </div>
              )}
            </Panel>
          </div>
        );
      }}
    </Answer>
  );
}

const isSuccessor = ({ type, direction }: Related): boolean =>
  type === 'supersedes' && direction === 'incoming';

const excerptOf = ({ memory }: Related): string => excerpt(memory.content, 160);

function LinkedMemory({ of, related }: { readonly of: StoredMemory; readonly related: Related }) {
  const at = useAt();
  const { may } = useSession();
  const unlink = useChange('memories.unlink');
  const { type, direction, memory, confidence } = related;
  const remove = () => {
    const [source, target] = direction === 'outgoing' ? [of.id, memory.id] : [memory.id, of.id];
    void unlink.run([source, type, target]);
  };
  return (
    <li>
      <Badge tone={type === 'contradicts' ? 'danger' : 'plain'}>{linkWords(type, direction)}</Badge>{' '}
      <Link to={`/memories/${memory.id}`}>{excerptOf(related)}</Link>
      {confidence < 1 && <span class="muted"> · certainty {confidence}</span>}
      {at === undefined && may('unlinkMemories') && (
        <Button
          kind="quiet"
          onClick={remove}
          disabled={unlink.isRunning}
          aria-label={`Remove the link to ${excerptOf(related)}`}
        >
          Remove
        </Button>
      )}
      {unlink.error && <Trouble error={unlink.error} />}
    </li>
  );
}
