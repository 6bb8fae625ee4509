import { useAddress } from '../../app/address.tsx';
import { layers } from '../../app/vocabulary.ts';
import { Field, Filters, Select } from '../../ui/field.tsx';
import { fromLocal, toLocal } from '../../ui/local-time.ts';
import { eventGroups } from './event-groups.ts';

const usual = [
  ['actor', 'Actor'],
  ['memory', 'Memory id'],
] as const;

const further = [
  ['session', 'Session'],
  ['user', 'User in the scope'],
  ['space', 'Space'],
  ['outcome', 'Outcome'],
  ['stream', 'Stream'],
  ['correlation', 'Correlation or event id'],
] as const;

/** The filters of the audit. All of them are in the address. */
export function AuditFilters() {
  const { values, set } = useAddress();
  return (
    <Filters aria-label="Filters">
      <Select
        label="What happened"
        value={values['group'] ?? ''}
        onValue={(group) => set({ group, type: undefined })}
        choices={[['', 'Everything'], ...Object.keys(eventGroups).map((name) => [name, name] as const)]}
      />
      {usual.map(([name, label]) => (
        <Field
          key={name}
          label={label}
          value={values[name] ?? ''}
          onValue={(value) => set({ [name]: value.trim() })}
        />
      ))}
      <Field
        label="From"
        type="datetime-local"
        value={toLocal(values['from'])}
        onValue={(value) => set({ from: fromLocal(value) })}
      />
      <Field
        label="Before"
        type="datetime-local"
        value={toLocal(values['to'])}
        onValue={(value) => set({ to: fromLocal(value) })}
      />
      <details open={further.some(([name]) => values[name]) || Boolean(values['type'] ?? values['layer'])}>
        <summary>More filters</summary>
        <div class="filters">
          <Field
            label="Or types of events"
            placeholder="MemoryStored, MemoryUpdated"
            value={values['type'] ?? ''}
            onValue={(type) => set({ type, group: undefined })}
          />
          {further.map(([name, label]) => (
            <Field
              key={name}
              label={label}
              value={values[name] ?? ''}
              onValue={(value) => set({ [name]: value.trim() })}
            />
          ))}
          <Select
            label="Layer"
            value={values['layer'] ?? ''}
            onValue={(layer) => set({ layer })}
            choices={[['', 'All layers'], ...layers.map((name) => [name, name] as const)]}
          />
        </div>
      </details>
    </Filters>
  );
}
