import { useEffect, useState } from 'preact/hooks';
import { useAddress } from './address.tsx';
import { Button } from '../ui/button.tsx';
import { fromLocal, toLocal } from '../ui/local-time.ts';

/**
 * The time at which every screen is shown, as an RFC 3339 time in UTC; undefined for now. It lives in the address as `at`, and stays when another
 * screen is opened. Screens that only know the present say so (`followsTime` of `Page`).
 */
export function useAt(): string | undefined {
  return fromLocal(useAddress().values['at'] ?? '');
}

/** Chooses the time for every screen. */
export function TimeBar() {
  const { set, values } = useAddress();
  const at = useAt();
  const isNoTime = at === undefined && Boolean(values['at']);
  const [typed, setTyped] = useState('');
  useEffect(() => setTyped(toLocal(at)), [at]);
  const choose = (text: string) => set({ at: fromLocal(text) }, 'push');
  return (
    <form
      class={at === undefined ? 'time-bar' : 'time-bar past'}
      onSubmit={(event) => {
        event.preventDefault();
        choose(typed);
      }}
    >
      <label for="at">{at === undefined ? 'Now' : 'As of'}</label>
      <input
        id="at"
        type="datetime-local"
        step="1"
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
        title="Show every screen as of this time"
      />
      {isNoTime && <span role="alert">The address names no valid time: this is the present.</span>}
      {at !== undefined && (
        <Button kind="quiet" onClick={() => set({ at: undefined }, 'push')}>
          Back to now
        </Button>
      )}
    </form>
  );
}
