import { useRef } from 'preact/hooks';
import { useAddress } from '../../app/address.tsx';
import { useSession } from '../../app/session.tsx';
import { useAsk, useChange } from '../../app/use-ask.ts';
import { Answer, Trouble } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog, type DialogHandle } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { NewSpace } from './new-space.tsx';
import { SpaceList } from './space-list.tsx';
import { SpaceView } from './space.tsx';
import './spaces.css';

/** All spaces, or the one that the address names. */
export default function Spaces() {
  const { id } = useAddress().values;
  return id === undefined ? <AllSpaces /> : <SpaceView key={id} id={id} />;
}

function AllSpaces() {
  const { may } = useSession();
  const spaces = useAsk('spaces.list', [{}]);
  const create = useRef<DialogHandle>(null);
  return (
    <Page
      title="Spaces"
      question="What does each space hold, cost and keep?"
      actions={may('putSpace') && <Button onClick={() => create.current?.show()}>New space</Button>}
    >
      <Answer of={spaces} what="the spaces">
        {({ items, strict }) => (
          <div class="stack">
            {items.length === 0 ? (
              <Empty title="There is no space yet">
                A space is a group of memories with rules of its own: configure one, or store a memory with a
                label.
              </Empty>
            ) : (
              <SpaceList spaces={items} />
            )}
            <StrictSpaces isStrict={strict} />
          </div>
        )}
      </Answer>
      <Dialog handle={create} title="New space">
        <NewSpace onDone={() => create.current?.close()} />
      </Dialog>
    </Page>
  );
}

/** Whether memories may name spaces that nobody configured. */
function StrictSpaces({ isStrict }: { readonly isStrict: boolean }) {
  const { may } = useSession();
  const change = useChange('spaces.configure');
  return (
    <div>
      <p class="form-actions">
        <span class="muted">
          {isStrict
            ? 'Memories may name only spaces that are configured.'
            : 'Memories may name any space; one that nobody configured is a label with the defaults.'}
        </span>
        {may('configureSpaces') && (
          <Button
            kind="quiet"
            disabled={change.isRunning}
            onClick={() => void change.run([{ strict: !isStrict }])}
          >
            {isStrict ? 'Allow any label' : 'Allow configured spaces only'}
          </Button>
        )}
      </p>
      {change.error && <Trouble error={change.error} />}
    </div>
  );
}
