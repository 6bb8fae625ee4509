import type { Limits as TenantLimits } from '@stratalog/client';
import { useState } from 'preact/hooks';
import { useSession } from '../../app/session.tsx';
import { useAsk, useChange } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Panel } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { draftKey, draftOf, limitFields, limitOwners, limitsOf } from './limit-drafts.ts';

/** What the callers of the tenant may ask for. */
export function Limits() {
  const { may } = useSession();
  const limits = useAsk('admin.limits.get', [{}]);
  return (
    <Answer of={limits} what="the limits">
      {({ limits: set }) => (
        <Panel title="Limits" note="counted by each process; a unit is the work of a plain search">
          {may('configureLimits') ? (
            <LimitsForm key={JSON.stringify(set)} limits={set} />
          ) : (
            <LimitsTable limits={set} />
          )}
        </Panel>
      )}
    </Answer>
  );
}

function LimitsTable({ limits }: { readonly limits: TenantLimits }) {
  const draft = draftOf(limits);
  return (
    <Table
      label="Limits"
      rows={limitOwners}
      keyOf={([owner]) => owner}
      columns={[
        { name: 'Who', cell: ([, name]) => name },
        ...limitFields.map(({ name, label }) => ({
          name: label,
          isNumber: true,
          cell: ([owner]: (typeof limitOwners)[number]) => draft[draftKey(owner, name)] || 'no limit',
        })),
      ]}
    />
  );
}

function LimitsForm({ limits }: { readonly limits: TenantLimits }) {
  const change = useChange('admin.limits.set');
  const [draft, setDraft] = useState(draftOf(limits));
  const result = limitsOf(draft);
  const save = () => 'limits' in result && change.run([result.limits]);
  return (
    <Form
      onSave={() => void save()}
      saveLabel="Replace all limits"
      mistake={'mistake' in result ? result.mistake : undefined}
      error={change.error}
      disabled={change.isRunning}
    >
      <p class="muted">
        An empty field has no limit. A limit of a role takes the place of that of each key. Over a limit the
        answer is 429, nothing was done, and clients try again by themselves. Turns are fair without limits:
        choose one for accidents, such as an agent in a loop.
      </p>
      {limitOwners.map(([owner, name]) => (
        <fieldset key={owner}>
          <legend>{name}</legend>
          <div class="fields">
            {limitFields.map((field) => {
              const key = draftKey(owner, field.name);
              return (
                <Field
                  key={key}
                  label={field.label}
                  value={draft[key] ?? ''}
                  onValue={(value) => setDraft((now) => ({ ...now, [key]: value }))}
                  pauseMs={100}
                />
              );
            })}
          </div>
        </fieldset>
      ))}
    </Form>
  );
}
