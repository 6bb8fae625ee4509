import { useState } from 'preact/hooks';
import { useChange } from '../../app/use-ask.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { newKeyOf, scopeFields, type KeyDraft } from './key-facts.ts';
import { roles, type Role } from './limit-drafts.ts';

const roleWords: Readonly<Record<Role, string>> = {
  agent: 'agent: remembers and searches, for the users that it serves',
  member: 'member: remembers and searches for itself',
  reader: 'reader: searches and reads',
  auditor: 'auditor: reads everything, with the audit trail',
  operator: 'operator: runs the server, sees no content',
  admin: 'admin: may do everything in the tenant',
};

interface NewKeyProps {
  readonly isFirst: boolean;
  readonly onDone: () => void;
}

/** Creates a key and shows its secret once. The secret lives only in this dialog. */
export function NewKey({ isFirst, onDone }: NewKeyProps) {
  const create = useChange('admin.keys.create');
  const [role, setRole] = useState<Role>(isFirst ? 'admin' : 'agent');
  const [draft, setDraft] = useState<KeyDraft>({});
  const [secret, setSecret] = useState<string>();
  if (secret !== undefined) return <Secret secret={secret} onDone={onDone} />;
  const field = (name: string, label: string, type: 'text' | 'datetime-local' = 'text') => (
    <Field
      key={name}
      label={label}
      type={type}
      value={draft[name] ?? ''}
      onValue={(value) => setDraft((now) => ({ ...now, [name]: value }))}
      pauseMs={100}
    />
  );
  const submit = async () => {
    const answer = await create.run([newKeyOf(role, draft)]);
    if (answer) setSecret(answer.key);
  };
  return (
    <Form
      onSave={() => void submit()}
      saveLabel="Create the key"
      error={create.error}
      disabled={create.isRunning}
      onCancel={onDone}
    >
      {isFirst && (
        <p class="as-of">
          This is the first key. From then on every call needs a key: copy it before you close this dialog,
          and sign in with it. If it gets lost, only the master key of the server can create another one.
        </p>
      )}
      <Select
        label="Role"
        value={role}
        onValue={(value) => setRole(roles.find((one) => one === value) ?? role)}
        choices={roles.map((one) => [one, roleWords[one]] as const)}
      />
      <div class="filters">
        {field('name', 'Name, such as the program that uses it')}
        {field('expiresAt', 'Ends at, empty: never', 'datetime-local')}
        {field('user', 'User')}
      </div>
      <fieldset>
        <legend>What it reaches, with commas between names</legend>
        <div class="fields">
          {scopeFields
            .filter(([name]) => name !== 'users' || role === 'agent')
            .map(([name, label]) => field(name, label))}
        </div>
      </fieldset>
    </Form>
  );
}

function Secret({ secret, onDone }: { readonly secret: string; readonly onDone: () => void }) {
  return (
    <div class="form">
      <p class="as-of">This is the only time that the key is shown. The server keeps a hash of it alone.</p>
      <div class="follower-head">
        <code class="wrap">{secret}</code>
        <CopyButton text={secret} label="Copy the key" />
      </div>
      <div class="form-actions">
        <Button kind="primary" onClick={onDone}>
          I have copied it
        </Button>
      </div>
    </div>
  );
}
