import type { StoredMemory } from '@stratalog/client';
import { useState } from 'preact/hooks';
import { useAddress } from '../../app/address.tsx';
import { useChange } from '../../app/use-ask.ts';
import { Trouble } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Consequences } from './consequences.tsx';

interface Props {
  readonly memory: StoredMemory;
  readonly onDone: () => void;
}

/** Deletes a memory after its consequences were shown. */
export function DeleteMemory({ memory, onDone }: Props) {
  const [reason, setReason] = useState('');
  const remove = useChange('memories.delete');
  const send = async () => {
    const options = { ifMatch: memory.revision, ...(reason.trim() !== '' && { reason: reason.trim() }) };
    if (await remove.run([memory.id], options)) onDone();
  };
  return (
    <div class="dialog-form">
      <p>From now on nobody finds it. It can be restored for 30 days.</p>
      <Consequences memory={memory} />
      <label>
        Reason (shown in the history)
        <input value={reason} onInput={({ currentTarget }) => setReason(currentTarget.value)} />
      </label>
      {remove.error && <Trouble error={remove.error} />}
      <Button kind="danger" onClick={() => void send()} disabled={remove.isRunning}>
        Delete
      </Button>
    </div>
  );
}

/** The word that confirms an erasure. */
const word = 'erase';

/** Destroys the content of a memory for good once the person has typed a word, and then opens the receipt. */
export function EraseMemory({ memory }: { readonly memory: StoredMemory }) {
  const [typed, setTyped] = useState('');
  const { open } = useAddress();
  const erase = useChange('memories.erase');
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const answer = await erase.run([memory.id], { ifMatch: memory.revision });
    if (answer) open('/proof', { erasure: answer.receipt });
  };
  return (
    <form class="dialog-form" onSubmit={(event) => void send(event)}>
      <p>
        This destroys its key: nobody can ever read its content again, in the log, in backups and in
        histories. It cannot be undone. That it existed, when, and who erased it stays in the audit, with a
        signed receipt.
      </p>
      <Consequences memory={memory} />
      <label>
        Type <strong>{word}</strong> to confirm
        <input
          value={typed}
          autocomplete="off"
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </label>
      {erase.error && <Trouble error={erase.error} />}
      <Button kind="danger" type="submit" disabled={erase.isRunning || typed.trim() !== word}>
        Erase for good
      </Button>
    </form>
  );
}
