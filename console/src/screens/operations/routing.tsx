import type { Routing as RoutingAnswer } from '@stratalog/client';
import { useState } from 'preact/hooks';
import { useSession } from '../../app/session.tsx';
import { useAsk, useChange } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Checkbox, Field, Select } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Panel } from '../../ui/page.tsx';
import { Facts } from '../../ui/table.tsx';
import { routingChangeOf, routingDraftOf, routingGroups, strategies } from './routing-fields.ts';

/** How complex questions are routed. */
export function Routing() {
  const { may } = useSession();
  const routing = useAsk('admin.routing.get', [{}]);
  return (
    <Answer of={routing} what="the routing">
      {(answer) => (
        <Panel title="Routing" note="how complex questions of the tenant are searched">
          <Overrides routing={answer} />
          {may('configureRouting') ? (
            <RoutingForm key={JSON.stringify(answer.settings)} settings={answer.settings} />
          ) : (
            <Settings settings={answer.settings} />
          )}
        </Panel>
      )}
    </Answer>
  );
}

function Overrides({
  routing: { killSwitch, switchedOff, reasoningSwitchedOff },
}: {
  readonly routing: RoutingAnswer;
}) {
  return (
    <>
      {killSwitch && (
        <p class="problem">
          The kill switch is engaged: all questions of all tenants take the standard search, whatever is set
          here.
        </p>
      )}
      {switchedOff && <p class="as-of">The configuration of this process switches routing off.</p>}
      {reasoningSwitchedOff && <p class="as-of">The configuration of this process switches reasoning off.</p>}
    </>
  );
}

function Settings({ settings }: { readonly settings: RoutingAnswer['settings'] }) {
  const draft = routingDraftOf(settings);
  const words: Readonly<Record<string, string>> = { true: 'yes', false: 'no' };
  return (
    <>
      {routingGroups.map(({ title, fields }) => (
        <section key={title}>
          <h3>{title}</h3>
          <Facts
            facts={fields.map(({ name, label }) => {
              const text = draft[name] ?? '';
              return [label, words[text] ?? text] as const;
            })}
          />
        </section>
      ))}
    </>
  );
}

function RoutingForm({ settings }: { readonly settings: RoutingAnswer['settings'] }) {
  const change = useChange('admin.routing.update');
  const before = routingDraftOf(settings);
  const [draft, setDraft] = useState(before);
  const result = routingChangeOf(before, draft);
  const isEmpty = 'isEmpty' in result && result.isEmpty;
  const set = (name: string, value: string) => setDraft((now) => ({ ...now, [name]: value }));
  return (
    <Form
      onSave={() => 'change' in result && void change.run([result.change])}
      saveLabel="Save the changes"
      mistake={'mistake' in result ? result.mistake : undefined}
      error={change.error}
      disabled={change.isRunning || isEmpty}
    >
      {routingGroups.map(({ title, fields }) => (
        <fieldset key={title}>
          <legend>{title}</legend>
          <div class="fields">
            {fields.map(({ name, label, kind }) =>
              kind === 'flag' ? (
                <Checkbox
                  key={name}
                  label={label}
                  isChecked={draft[name] === 'true'}
                  onChange={(isChecked) => set(name, String(isChecked))}
                />
              ) : kind === 'strategy' ? (
                <Select
                  key={name}
                  label={label}
                  value={draft[name] ?? ''}
                  onValue={(value) => set(name, value)}
                  choices={strategies.map((one) => [one, one] as const)}
                />
              ) : (
                <Field
                  key={name}
                  label={label}
                  value={draft[name] ?? ''}
                  onValue={(value) => set(name, value)}
                  pauseMs={100}
                />
              ),
            )}
          </div>
        </fieldset>
      ))}
    </Form>
  );
}
