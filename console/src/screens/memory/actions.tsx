import type { StoredMemory } from '@stratalog/client';
import { useSession } from '../../app/session.tsx';
import { useChange } from '../../app/use-ask.ts';
import { Trouble } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { DialogButton } from '../../ui/dialog-button.tsx';
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
          <DialogButton label="Edit" title="Edit this memory">
            {(close) => <EditMemory memory={memory} onDone={close} />}
          </DialogButton>
        )}
        {!isDeleted && may('giveFeedback') && (
          <DialogButton label="Feedback" title="How useful is it?">
            {(close) => <GiveFeedback id={id} onDone={close} />}
          </DialogButton>
        )}
        {!isDeleted && may('linkMemories') && (
          <DialogButton label="Link" title="Link it with another memory">
            {(close) => <LinkMemory id={id} onDone={close} />}
          </DialogButton>
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
          <DialogButton label="Delete" title="Delete this memory?" kind="danger">
            {(close) => <DeleteMemory memory={memory} onDone={close} />}
          </DialogButton>
        )}
        {may('deleteMemory') && who.role === 'admin' && (
          <DialogButton label="Erase" title="Erase this memory for good?" kind="danger">
            {() => <EraseMemory memory={memory} />}
          </DialogButton>
        )}
      </div>
      {error && <Trouble error={error} />}
    </>
  );
}
