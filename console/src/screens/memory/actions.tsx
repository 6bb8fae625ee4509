import type { StoredMemory } from '@stratalog/client';
import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useSession } from '../../app/session.tsx';
import { useChange } from '../../app/use-ask.ts';
import { Trouble } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog, type DialogHandle } from '../../ui/dialog.tsx';
import { DeleteMemory, EraseMemory } from './delete-dialogs.tsx';
import { EditMemory } from './edit-dialog.tsx';
import { GiveFeedback } from './feedback-dialog.tsx';
import { LinkMemory } from './link-dialog.tsx';

/** What the caller may do with a memory in its state. */
export function Actions({ memory }: { readonly memory: StoredMemory }) {
  const { may, who } = useSession();
  const archive = useChange('memories.archive');
  const unarchive = useChange('memories.unarchive');
  const restore = useChange('memories.restore');
  const { id, state } = memory;
  const isDeleted = state === 'deleted';
  const error = archive.error ?? unarchive.error ?? restore.error;
  return (
    <>
      <div class="commands" role="group" aria-label="Commands">
        {!isDeleted && may('updateMemory') && (
          <Opened label="Edit" title="Edit this memory">
            {(close) => <EditMemory memory={memory} onDone={close} />}
          </Opened>
        )}
        {!isDeleted && may('giveFeedback') && (
          <Opened label="Feedback" title="How useful is it?">
            {(close) => <GiveFeedback id={id} onDone={close} />}
          </Opened>
        )}
        {!isDeleted && may('linkMemories') && (
          <Opened label="Link" title="Link it with another memory">
            {(close) => <LinkMemory id={id} onDone={close} />}
          </Opened>
        )}
        {state === 'active' && may('archiveMemory') && (
          <Button
            onClick={() => void archive.run([id])}
            disabled={archive.isRunning}
            title="Take it out of searches, contexts and summaries"
          >
            Archive
          </Button>
        )}
        {state === 'archived' && may('unarchiveMemory') && (
          <Button onClick={() => void unarchive.run([id])} disabled={unarchive.isRunning}>
            Make active again
          </Button>
        )}
        {isDeleted && may('restoreMemory') && (
          <Button kind="primary" onClick={() => void restore.run([id])} disabled={restore.isRunning}>
            Restore
          </Button>
        )}
        {!isDeleted && may('deleteMemory') && (
          <Opened label="Delete" title="Delete this memory?" kind="danger">
            {(close) => <DeleteMemory memory={memory} onDone={close} />}
          </Opened>
        )}
        {may('deleteMemory') && who.role === 'admin' && (
          <Opened label="Erase" title="Erase this memory for good?" kind="danger">
            {() => <EraseMemory memory={memory} />}
          </Opened>
        )}
      </div>
      {error && <Trouble error={error} />}
    </>
  );
}

/** A button that opens a dialog. */
function Opened({
  label,
  title,
  kind = 'plain',
  children,
}: {
  readonly label: string;
  readonly title: string;
  readonly kind?: 'plain' | 'danger';
  readonly children: (close: () => void) => VNode;
}) {
  const dialog = useRef<DialogHandle>(null);
  // A dialog that is opened again begins anew.
  const [opened, setOpened] = useState(0);
  const show = () => {
    setOpened(opened + 1);
    dialog.current?.show();
  };
  return (
    <>
      <Button kind={kind} onClick={show}>
        {label}
      </Button>
      <Dialog handle={dialog} title={title}>
        <div key={opened}>{children(() => dialog.current?.close())}</div>
      </Dialog>
    </>
  );
}
