import type { ExperienceSettings } from '@stratalog/client';
import { useState } from 'preact/hooks';
import { useChange } from '../../app/use-ask.ts';
import { Checkbox, Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';

/** Whether, and for which share of the sessions, searches with experience apply it. */
export function ExperienceForm({ settings }: { readonly settings: ExperienceSettings }) {
  const change = useChange('admin.experience.set');
  const [draft, setDraft] = useState(settings);
  const [share, setShare] = useState(String(settings.share * 100));
  const percent = Number(share);
  const isShare = share.trim() !== '' && percent >= 0 && percent <= 100;
  const flag = (name: 'enabled' | 'exploration', label: string) => (
    <Checkbox
      label={label}
      isChecked={draft[name]}
      onChange={(isChecked) => setDraft((now) => ({ ...now, [name]: isChecked }))}
    />
  );
  return (
    <Form
      onSave={() => void change.run([{ ...draft, share: percent / 100 }])}
      saveLabel="Save"
      mistake={isShare ? undefined : 'The share must be a number from 0 to 100'}
      error={change.error}
      disabled={change.isRunning}
    >
      {flag('enabled', 'Apply what worked for similar questions')}
      <Field label="Share of the sessions, in %" value={share} onValue={setShare} pauseMs={100} />
      {flag('exploration', 'Try other parameters with a few searches of sessions, to learn')}
    </Form>
  );
}
