import { useAddress } from '../../app/address.tsx';
import { layers } from '../../app/vocabulary.ts';
import { Field, Filters, Select } from '../../ui/field.tsx';
import { settingsInWords, type SettingName, type Side } from './lab-settings.ts';

interface SettingsFormProps {
  readonly side: Side;
  readonly name: string;
  readonly isOpen: boolean;
}

/** The settings of one search. They live in the address under the names of the side. */
export function SettingsForm({ side, name, isOpen }: SettingsFormProps) {
  const { values, set } = useAddress();
  const bound = (setting: SettingName) => ({
    value: values[side + setting] ?? '',
    onValue: (value: string) => set({ [side + setting]: value }, 'push'),
  });
  const layer = bound('layers');
  return (
    <details class="settings" open={isOpen}>
      <summary>
        {name}: {settingsInWords(values, side)}
      </summary>
      <Filters aria-label={name}>
        <Field label="Results" type="number" placeholder="10" {...bound('topK')} />
        {layer.value.includes(',') ? (
          <Field label="Layers" {...layer} />
        ) : (
          <Select
            label="Layers"
            {...layer}
            choices={[['', 'all layers'], ...layers.map((one) => [one, one] as const)]}
          />
        )}
        <Field label="Spaces" placeholder="all; names, or auto" {...bound('spaces')} />
        <Select
          label="Order"
          {...bound('order')}
          choices={[
            ['', 'precedence'],
            ['relevance', 'relevance'],
            ['layer', 'layer'],
          ]}
        />
        <Select
          label="Route"
          {...bound('mode')}
          choices={[
            ['', 'as the question needs'],
            ['standard', 'standard'],
          ]}
        />
        <Field label="Threshold" placeholder="focused" {...bound('threshold')} />
        <Field label="As of" placeholder="time, position, or now" {...bound('asOf')} />
        <Field label="Session" {...bound('session')} />
        <Field label="Filter (JSON)" placeholder='{"tags": {"eq": "x"}}' {...bound('filter')} />
      </Filters>
    </details>
  );
}
