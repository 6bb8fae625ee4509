import { isProblem, type StoredMemory } from '@stratalog/client';
import { useState } from 'preact/hooks';
import { useAsk, useChange } from '../../app/use-ask.ts';
import { Trouble } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { TextDiff } from '../../ui/text-diff.tsx';
import { draftOf, patchOf, type Draft } from './edited.ts';

/** Edits the text, tags and metadata of a memory. A change by someone else meanwhile is shown and never overwritten by accident. */
export function EditMemory({
  memory,
  onDone,
}: {
  readonly memory: StoredMemory;
  readonly onDone: () => void;
}) {
  const [base, setBase] = useState(memory);
  const [draft, setDraft] = useState(draftOf(memory));
  const [reason, setReason] = useState('');
  const update = useChange('memories.update');
  const newest = useAsk('memories.get', [memory.id, { includeQuarantined: 'true' }]);
  const patch = patchOf(base, draft);
  const problem = typeof patch === 'string' ? patch : undefined;
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    if (patch === undefined || typeof patch === 'string') return;
    const options = { ifMatch: base.revision, ...(reason.trim() !== '' && { reason: reason.trim() }) };
    if (await update.run([base.id, patch], options)) onDone();
    else newest.repeat();
  };
  const newer = newest.answer && newest.answer.revision > base.revision ? newest.answer : undefined;
  const isMismatch = isProblem(update.error, 'revision-mismatch');
  return (
    <form class="dialog-form" onSubmit={(event) => void save(event)}>
      {newer && (
        <div class="problem" role="alert">
          <p>
            Someone else has changed this memory: it is at revision {newer.revision} now, and you began with{' '}
            {base.revision}. Their text, compared with yours:
          </p>
          <TextDiff before={draft.content} after={newer.content} />
          <Button
            onClick={() => {
              update.reset();
              setBase(newer);
              setDraft(draftOf(newer));
            }}
          >
            Take the newer one
          </Button>{' '}
          <Button
            onClick={() => {
              update.reset();
              setBase(newer);
            }}
          >
            Keep mine and save it over theirs
          </Button>
        </div>
      )}
      <label>
        Text
        <textarea
          rows={8}
          value={draft.content}
          onInput={({ currentTarget }) => set({ content: currentTarget.value })}
        />
      </label>
      <label>
        Tags, separated by commas
        <input value={draft.tags} onInput={({ currentTarget }) => set({ tags: currentTarget.value })} />
      </label>
      <label>
        Metadata, as a JSON object
        <textarea
          rows={5}
          spellcheck={false}
          value={draft.metadata}
          aria-invalid={problem !== undefined}
          onInput={({ currentTarget }) => set({ metadata: currentTarget.value })}
        />
      </label>
      <label>
        Reason (shown in the history)
        <input value={reason} onInput={({ currentTarget }) => setReason(currentTarget.value)} />
      </label>
      {problem !== undefined && <p class="problem">{problem}</p>}
      {update.error && !isMismatch && <Trouble error={update.error} />}
      <div class="commands">
        <Button
          kind="primary"
          type="submit"
          disabled={update.isRunning || newer !== undefined || patch === undefined || problem !== undefined}
        >
          Save
        </Button>
        {patch === undefined && <span class="muted">Nothing is changed yet.</span>}
      </div>
    </form>
  );
}
