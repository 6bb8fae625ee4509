import type { CommandOptions, DeleteDocumentQuery, Document } from '@stratalog/client';
import { useState } from 'preact/hooks';
import { useAddress } from '../../app/address.tsx';
import { useSession } from '../../app/session.tsx';
import { useChange } from '../../app/use-ask.ts';
import { Trouble } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { sourceIdOf } from './document-facts.ts';

/** Deletes a document, after saying what follows. Only an admin can erase it. */
export function DeleteDocument({
  document,
  onDone,
}: {
  readonly document: Document;
  readonly onDone: () => void;
}) {
  const { who } = useSession();
  const { open } = useAddress();
  const change = useChange('documents.delete');
  const [erases, setErases] = useState(false);
  const source = sourceIdOf(document.externalId);
  const remove = async () => {
    const options: CommandOptions & DeleteDocumentQuery = { mode: erases ? 'erase' : 'soft' };
    if (!(await change.run([document.id], options))) return;
    onDone();
    if (erases) open('/documents');
  };
  return (
    <div class="form">
      <p>
        {document.memories === 1
          ? 'The memory of its section is'
          : `The ${document.memories.toLocaleString()} memories of its sections are`}{' '}
        {erases
          ? 'erased with it and with what was attached to it. Their contents can never be read again; a receipt says what was cleared.'
          : 'deleted with it and with what was attached to it: no search and no context finds them any more. All can be restored for 30 days.'}
      </p>
      {source !== undefined && (
        <p class="muted">It came by the source {source}, which may store it again when it changes.</p>
      )}
      {who.role === 'admin' && (
        <Checkbox label="Erase it permanently" isChecked={erases} onChange={setErases} />
      )}
      {change.error && <Trouble error={change.error} />}
      <div class="form-actions">
        <Button kind="danger" disabled={change.isRunning} onClick={() => void remove()}>
          {erases ? 'Erase for ever' : 'Delete'}
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </div>
  );
}
