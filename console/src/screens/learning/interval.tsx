import { gainText, verdictOf, verdictTones, type Gain } from './verdicts.ts';

interface IntervalProps {
  readonly gain: Gain;
  /** What is compared, for readers who do not see the bar. */
  readonly label: string;
  readonly textOf?: (value: number) => string;
}

/** A difference as a point with its interval of 95 % around 0. */
export function Interval({ gain, label, textOf }: IntervalProps) {
  const { value, low = value, high = value } = gain;
  const full = Math.max(Math.abs(value), Math.abs(low), Math.abs(high), Number.EPSILON);
  const place = (one: number): string => `${50 + (one / full) * 46}%`;
  const text = gainText(gain, textOf);
  return (
    <div class="interval" role="img" aria-label={`${label}: ${text}`}>
      <div class={`interval-line ${verdictTones[verdictOf(gain)] ?? ''}`}>
        <span class="interval-zero" />
        {gain.low !== undefined && (
          <span
            class="interval-range"
            style={{ left: place(low), width: `${((high - low) / full) * 46}%` }}
          />
        )}
        <span class="interval-value" style={{ left: place(value) }} />
      </div>
      <span class="interval-text">{text}</span>
    </div>
  );
}
