import { useEffect, useState } from 'preact/hooks';
import { useAddress } from './address.tsx';
import { Button } from '../ui/button.tsx';

/**
 * The time at which every screen is shown, as an RFC 3339 time in UTC; undefined for now. It lives in the address as `at`, and stays when another
 * screen is opened. Screens that only know the present say so (`PresentOnly`).
 */
export function useAt(): string | undefined {
  const { at } = useAddress().values;
  return at !== undefined && !Number.isNaN(Date.parse(at)) ? new Date(at).toISOString() : undefined;
}

/** Chooses the time for every screen. */
export function TimeBar() {
  const { set } = useAddress();
  const at = useAt();
  const [typed, setTyped] = useState('');
  useEffect(() => setTyped(at === undefined ? '' : localText(at)), [at]);
  const choose = (text: string) => {
    const time = Date.parse(text);
    set({ at: text === '' || Number.isNaN(time) ? undefined : new Date(time).toISOString() }, 'push');
  };
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
      {at !== undefined && (
        <Button kind="quiet" onClick={() => set({ at: undefined }, 'push')}>
          Back to now
        </Button>
      )}
    </form>
  );
}

/** The value of an input of the type `datetime-local`: the reader's zone, without an offset. */
function localText(at: string): string {
  const time = new Date(at);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
