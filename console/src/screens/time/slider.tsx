import { useEffect, useState } from 'preact/hooks';
import { useAddress } from '../../app/address.tsx';
import { useAt } from '../../app/time-bar.tsx';
import { Time } from '../../ui/time.tsx';

/** Positions of the slider. */
const steps = 1_000;

/** Chooses the time for every screen, from the beginning of the log to now. */
export function TimeSlider({ begin }: { readonly begin: string }) {
  const { set } = useAddress();
  const at = useAt();
  const [first, now] = [Date.parse(begin), Date.now()];
  const span = Math.max(now - first, 1);
  const placeOf = (time: string | undefined): number =>
    time === undefined ? steps : Math.round(((Date.parse(time) - first) / span) * steps);
  const [place, setPlace] = useState(placeOf(at));
  useEffect(() => setPlace(placeOf(at)), [at, begin]);
  const timeOf = (chosen: number): string | undefined =>
    chosen >= steps ? undefined : new Date(first + (span * chosen) / steps).toISOString();
  const shown = timeOf(place);
  return (
    <div class="slider">
      <label for="time-slider">
        Everything as of{' '}
        <strong>
          {at !== undefined && placeOf(at) === place ? (
            <Time at={at} exact />
          ) : shown ? (
            <Time at={shown} exact />
          ) : (
            'now'
          )}
        </strong>
      </label>
      <input
        id="time-slider"
        type="range"
        min={0}
        max={steps}
        value={place}
        aria-valuetext={shown ?? 'now'}
        onInput={({ currentTarget }) => setPlace(Number(currentTarget.value))}
        onChange={({ currentTarget }) => set({ at: timeOf(Number(currentTarget.value)) }, 'push')}
      />
      <div class="slider-ends muted">
        <Time at={begin} exact />
        <span>now</span>
      </div>
    </div>
  );
}
