import type { ExperienceSettings } from '@stratalog/client';
import { useState } from 'preact/hooks';
import { useChange } from '../../app/use-ask.ts';
import { Trouble } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';

/** Whether, and for which share of the sessions, searches with experience apply it. */
export function ExperienceForm({ settings }: { readonly settings: ExperienceSettings }) {
  const change = useChange('admin.experience.set');
  const [draft, setDraft] = useState(settings);
  const [share, setShare] = useState(String(settings.share * 100));
  const percent = Number(share);
  const isShare = share.trim() !== '' && percent >= 0 && percent <= 100;
  const flag = (name: 'enabled' | 'exploration', label: string) => (
    <label class="check">
      <input
        type="checkbox"
        checked={draft[name]}
        onChange={({ currentTarget }) => setDraft((now) => ({ ...now, [name]: currentTarget.checked }))}
      />
      {label}
    </label>
  );
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isShare) void change.run([{ ...draft, share: percent / 100 }]);
      }}
    >
      {flag('enabled', 'Apply what worked for similar questions')}
      <Field label="Share of the sessions, in %" value={share} onValue={setShare} pauseMs={100} />
      {flag('exploration', 'Try other parameters with a few searches of sessions, to learn')}
      {!isShare && (
        <p class="problem" role="alert">
          The share must be a number from 0 to 100
        </p>
      )}
      {change.error && <Trouble error={change.error} />}
      <div class="form-actions">
        <Button type="submit" kind="primary" disabled={change.isRunning || !isShare}>
          Save
        </Button>
      </div>
    </form>
  );
}
