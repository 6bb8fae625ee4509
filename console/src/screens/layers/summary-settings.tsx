import type { SummarySettings } from '@stratalog/client';
import { useRef, useState } from 'preact/hooks';
import { useSession } from '../../app/session.tsx';
import { useAsk, useChange } from '../../app/use-ask.ts';
import type { Layer } from '../../app/vocabulary.ts';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog, type DialogHandle } from '../../ui/dialog.tsx';
import { Checkbox, Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Panel } from '../../ui/page.tsx';
import { periodText } from '../../ui/quantity.ts';
import { Facts } from '../../ui/table.tsx';

const depths = ['sentence', 'paragraph', 'detailed'] as const;
const canBePersonal: readonly Layer[] = ['project', 'team', 'org', 'company'];

/** When and how the summaries of a layer are made. */
export function SummarySettingsPanel({ layer }: { readonly layer: Layer }) {
  const { may } = useSession();
  const asked = useAsk('admin.summaries.get', [layer]);
  const dialog = useRef<DialogHandle>(null);
  return (
    <Panel
      title={`How summaries of the layer ${layer} are made`}
      actions={
        may('configureSummaries') &&
        asked.answer && <Button onClick={() => dialog.current?.show()}>Change</Button>
      }
    >
      <Answer of={asked} what="the settings">
        {({ settings }) => (
          <>
            <Facts
              facts={[
                ['depths', settings.depths.join(', ')],
                ['again after', schedule(settings)],
                ['if nothing changed', settings.skipIfUnchanged ? 'not made again' : 'made again'],
                ['stale after', settings.maxAgeSeconds && periodText(settings.maxAgeSeconds)],
                ['for single users', canBePersonal.includes(layer) && (settings.personalized ? 'yes' : 'no')],
                ['model', settings.model ?? 'the configured one, if any'],
              ]}
            />
            <Dialog handle={dialog} title={`Summaries of the layer ${layer}`}>
              <SettingsForm layer={layer} settings={settings} onDone={() => dialog.current?.close()} />
            </Dialog>
          </>
        )}
      </Answer>
    </Panel>
  );
}

function schedule({ updateOnChanges, updateIntervalSeconds }: SummarySettings): string {
  const rules = [
    updateOnChanges !== undefined && `${updateOnChanges.toLocaleString()} changes of memories`,
    updateIntervalSeconds !== undefined && periodText(updateIntervalSeconds),
  ].filter(Boolean);
  return rules.length === 0 ? 'only when a context needs them, or somebody asks' : rules.join(' or ');
}

interface SettingsFormProps {
  readonly layer: Layer;
  readonly settings: SummarySettings;
  readonly onDone: () => void;
}

function SettingsForm({ layer, settings, onDone }: SettingsFormProps) {
  const change = useChange('admin.summaries.set');
  const [draft, setDraft] = useState(settings);
  const number = (name: 'updateOnChanges' | 'updateIntervalSeconds' | 'maxAgeSeconds', label: string) => (
    <Field
      label={label}
      type="number"
      value={draft[name]?.toString() ?? ''}
      onValue={(value) => setDraft({ ...draft, [name]: value === '' ? undefined : Number(value) })}
      pauseMs={100}
    />
  );
  const check = (label: string, isChecked: boolean, onChange: (isChecked: boolean) => void) => (
    <Checkbox key={label} label={label} isChecked={isChecked} onChange={onChange} />
  );
  return (
    <Form
      onSave={() => void change.run([layer, draft]).then((done) => done && onDone())}
      saveLabel="Save"
      error={change.error}
      disabled={change.isRunning || draft.depths.length === 0}
    >
      <fieldset>
        <legend>Depths</legend>
        {depths.map((depth) =>
          check(depth, draft.depths.includes(depth), (isChecked) =>
            setDraft({
              ...draft,
              depths: depths.filter((one) => (one === depth ? isChecked : draft.depths.includes(one))),
            }),
          ),
        )}
      </fieldset>
      {number('updateOnChanges', 'Again after this many changes of memories')}
      {number('updateIntervalSeconds', 'Again after this many seconds')}
      {number('maxAgeSeconds', 'Stale after this many seconds')}
      <Field
        label="Language model (empty: the configured one; extractive-1: none)"
        value={draft.model ?? ''}
        onValue={(value) => setDraft({ ...draft, model: value === '' ? undefined : value })}
        pauseMs={100}
      />
      {check('Not made again while nothing has changed', draft.skipIfUnchanged, (skipIfUnchanged) =>
        setDraft({ ...draft, skipIfUnchanged }),
      )}
      {canBePersonal.includes(layer) &&
        check('Also for single users', draft.personalized ?? false, (personalized) =>
          setDraft({ ...draft, personalized }),
        )}
    </Form>
  );
}
