import type { PatchSpace, Space } from '@stratalog/client';
import { useId, useState } from 'preact/hooks';
import { useAsk, useChange } from '../../app/use-ask.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Field, Select } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { RetentionPreview, useRetentionPreview } from './retention-preview.tsx';
import { draftOf, fieldGroups, mergePatchOf, patchOf, rebased, type SpaceField } from './space-fields.ts';

interface SpaceFormProps {
  readonly space: Space;
  readonly onDone: () => void;
  /** Called when the change was refused, perhaps because the space is another one by now. */
  readonly onRefused: () => void;
}

/** Changes a space: the common fields, and all others by a merge patch. Refused if somebody else has changed it meanwhile. */
export function SpaceForm({ space, onDone, onRefused }: SpaceFormProps) {
  const change = useChange('spaces.update');
  // As they were when the form was opened: the space may change under it.
  const [{ before, revision }, setBase] = useState({ before: draftOf(space), revision: space.revision });
  const [draft, setDraft] = useState(before);
  const [json, setJson] = useState('');
  const jsonId = useId();
  const models = useAsk('models', []);
  let patch: PatchSpace = {};
  let mistake: string | undefined;
  try {
    patch = { ...patchOf(before, draft), ...mergePatchOf(json) };
  } catch (error) {
    mistake = (error as Error).message;
  }
  const preview = useRetentionPreview(space, patch);
  const isEmpty = Object.keys(patch).length === 0;
  const rebase = () => {
    const now = draftOf(space);
    setDraft(rebased(draft, before, now));
    setBase({ before: now, revision: space.revision });
    change.reset();
  };

  const save = () =>
    void change.run([space.id, patch], { ifMatch: revision }).then((done) => (done ? onDone() : onRefused()));

  const choicesOf = ({ name, choices }: SpaceField): (readonly [string, string])[] => {
    if (choices) return choices.map((one) => [one, one] as const);
    const kind = name === 'embeddingModel' ? 'embedding' : 'language';
    const known = (models.answer?.items ?? []).filter((one) => one.kind === kind).map(({ id }) => id);
    const own = before[name]!;
    const all = own === '' || known.includes(own) ? known : [own, ...known];
    return [['', "the server's"], ...all.map((one) => [one, one] as const)];
  };

  const input = (field: SpaceField) => {
    const value = draft[field.name] ?? '';
    const onValue = (text: string) => setDraft((now) => ({ ...now, [field.name]: text }));
    if (field.kind === 'flag')
      return (
        <Checkbox
          key={field.name}
          label={field.label}
          isChecked={value === 'true'}
          onChange={(isChecked) => onValue(String(isChecked))}
        />
      );
    const common = { label: field.label, value, onValue };
    return field.kind === 'choice' ? (
      <Select key={field.name} {...common} choices={choicesOf(field)} />
    ) : (
      <Field key={field.name} {...common} pauseMs={100} />
    );
  };

  return (
    <Form
      onSave={save}
      saveLabel={
        preview.deletes > 0
          ? `Save, and delete ${preview.deletes.toLocaleString()} memories`
          : 'Save the changes'
      }
      saveKind={preview.deletes > 0 ? 'danger' : 'primary'}
      mistake={mistake}
      error={change.error}
      disabled={change.isRunning || isEmpty || preview.isAwaited}
      onCancel={onDone}
    >
      {fieldGroups.map(({ title, fields }) => (
        <fieldset key={title}>
          <legend>{title}</legend>
          <div class="fields">{fields.map(input)}</div>
        </fieldset>
      ))}
      <fieldset>
        <legend>Everything else, as a JSON merge patch</legend>
        <label for={jsonId} class="muted">
          For <code>pii</code>, <code>trust</code>, <code>metadataSchema</code> and <code>sources</code>; null
          brings back the default
        </label>
        <textarea
          id={jsonId}
          class="json"
          rows={4}
          spellcheck={false}
          value={json}
          placeholder='{"pii": {"email": "redact"}}'
          onInput={({ currentTarget }) => setJson(currentTarget.value)}
        />
      </fieldset>
      <RetentionPreview preview={preview} />
      {!isEmpty && (
        <details>
          <summary>What is sent</summary>
          <pre tabIndex={0}>{JSON.stringify(patch, null, 2)}</pre>
        </details>
      )}
      {space.revision !== revision && (
        <p class="as-of" role="status">
          Somebody has changed the space meanwhile.{' '}
          <Button kind="quiet" onClick={rebase}>
            Take over what it is now, and keep my changes
          </Button>
        </p>
      )}
    </Form>
  );
}
