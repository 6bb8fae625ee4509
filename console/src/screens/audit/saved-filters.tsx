import { useState } from 'preact/hooks';
import { useAddress } from '../../app/address.tsx';
import { Button } from '../../ui/button.tsx';
import { filterNames, filtersIn } from './filter.ts';
import { savedIn, withSaved, type SavedFilter } from './saved.ts';

const storageName = 'stratalog.audit-filters';

/** Filters that the reader has given a name. They stay in this browser. */
export function SavedFilters() {
  const { values, set } = useAddress();
  const [saved, setSaved] = useState(() => savedIn(localStorage.getItem(storageName)));
  const [name, setName] = useState('');
  const present = filtersIn(values);
  const isFiltered = Object.keys(present).length > 0;
  const none = Object.fromEntries(filterNames.map((one) => [one, undefined]));
  const keep = (all: readonly SavedFilter[]) => {
    localStorage.setItem(storageName, JSON.stringify(all));
    setSaved(all);
  };
  return (
    <div class="saved-filters">
      {saved.map((one) => (
        <span key={one.name} class="saved-filter">
          <Button kind="quiet" onClick={() => set({ ...none, ...one.values }, 'push')}>
            {one.name}
          </Button>
          <Button
            kind="quiet"
            aria-label={`Forget the filter ${one.name}`}
            onClick={() => keep(saved.filter((other) => other !== one))}
          >
            ×
          </Button>
        </span>
      ))}
      {isFiltered && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            keep(withSaved(saved, { name: name.trim(), values: present }));
            setName('');
          }}
        >
          <input
            value={name}
            maxLength={60}
            aria-label="Name for these filters"
            placeholder="Name for these filters"
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
          <Button type="submit" disabled={name.trim() === ''}>
            Save them
          </Button>
          <Button kind="quiet" onClick={() => set(none, 'push')}>
            Remove all filters
          </Button>
        </form>
      )}
    </div>
  );
}
