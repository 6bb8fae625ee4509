import type { Feedback } from '@stratalog/client';
import { useState } from 'preact/hooks';
import { useChange } from '../../app/use-ask.ts';
import { Trouble } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { feedbackKinds, needsSearch } from './feedback-kinds.ts';

/** Says how useful a memory was. */
export function GiveFeedback({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const [kind, setKind] = useState<Feedback['kind']>('outdated');
  const [note, setNote] = useState('');
  const [searchId, setSearchId] = useState('');
  const give = useChange('memories.feedback');
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const feedback = {
      kind,
      ...(note.trim() !== '' && { note: note.trim() }),
      ...(searchId.trim() !== '' && { searchId: searchId.trim() }),
    };
    if (await give.run([id, feedback])) onDone();
  };
  return (
    <form class="dialog-form" onSubmit={(event) => void send(event)}>
      <Select
        label="It is"
        value={kind}
        onValue={(value) => setKind(value as Feedback['kind'])}
        choices={feedbackKinds.map(([one, meaning]) => [one, `${one}: ${meaning}`] as const)}
      />
      {needsSearch(kind) && (
        <label>
          Id of the search that returned it
          <input value={searchId} onInput={({ currentTarget }) => setSearchId(currentTarget.value)} />
        </label>
      )}
      <label>
        Note
        <textarea rows={3} value={note} onInput={({ currentTarget }) => setNote(currentTarget.value)} />
      </label>
      {give.error && <Trouble error={give.error} />}
      <Button
        kind="primary"
        type="submit"
        disabled={give.isRunning || (needsSearch(kind) && searchId.trim() === '')}
      >
        Give feedback
      </Button>
    </form>
  );
}
