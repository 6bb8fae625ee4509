interface UsageMeterProps {
  readonly used: number;
  /** Undefined if there is no limit. */
  readonly allowed: number | undefined;
  readonly textOf: (value: number) => string;
  readonly label: string;
}

/** How much of a limit is used, as a bar with its numbers. */
export function UsageMeter({ used, allowed, textOf, label }: UsageMeterProps) {
  if (allowed === undefined) return <span class="usage">{textOf(used)}</span>;
  const share = Math.min(1, used / allowed);
  const tone = share >= 1 ? 'full' : share >= 0.8 ? 'near' : '';
  return (
    <span class="usage">
      <span>
        {textOf(used)} of {textOf(allowed)}
      </span>
      <span
        class={`usage-bar ${tone}`}
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={allowed}
        aria-valuenow={Math.min(used, allowed)}
        aria-valuetext={`${textOf(used)} of ${textOf(allowed)}, ${Math.round((used / allowed) * 100)} %`}
      >
        <span style={{ width: `${share * 100}%` }} />
      </span>
    </span>
  );
}
