import type { ChangeOptions, PutSpace } from '@stratalog/client';
import { useState } from 'preact/hooks';
import { useAddress } from '../../app/address.tsx';
import { useChange } from '../../app/use-ask.ts';
import { Field, Select } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';

const presets = ['dev_copilot', 'salesforce', 'research'] as const;

/** Fails if somebody else has configured the space meanwhile. */
const onlyNew: ChangeOptions & { readonly ifNoneMatch: '*' } = { ifNoneMatch: '*' };

/** Configures a space. `id` is that of a label which memories have already. */
export function NewSpace({ id, onDone }: { readonly id?: string; readonly onDone?: () => void }) {
  const { open } = useAddress();
  const put = useChange('spaces.put');
  const [name, setName] = useState(id ?? '');
  const [preset, setPreset] = useState('');
  const create = async () => {
    const chosen = presets.find((one) => one === preset);
    const config: PutSpace = chosen === undefined ? {} : { preset: chosen };
    if (!(await put.run([name, config], onlyNew))) return;
    onDone?.();
    open('/spaces', { id: name });
  };
  return (
    <Form
      onSave={() => void create()}
      saveLabel="Configure the space"
      error={put.error}
      disabled={put.isRunning || name === ''}
      note="Nothing changes for its memories. Every field can be changed afterwards."
    >
      {id === undefined && (
        <Field
          label="Name: letters, digits, dots, hyphens and underscores, at most 64"
          value={name}
          onValue={setName}
          pauseMs={100}
        />
      )}
      <Select
        label="Begin from"
        value={preset}
        onValue={setPreset}
        choices={[['', 'the defaults'], ...presets.map((one) => [one, `the preset ${one}`] as const)]}
      />
    </Form>
  );
}
