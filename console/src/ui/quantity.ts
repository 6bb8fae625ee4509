const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** A size in decimal units, such as `1.2 MB`. */
export function bytesText(bytes: number): string {
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1_000 ** step;
  const digits = step === 0 || value >= 100 ? 0 : 1;
  return `${value.toLocaleString(undefined, { maximumFractionDigits: digits })} ${units[step]}`;
}

const periods = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** A period in its largest whole unit, such as `7 days` or `90 seconds`. */
export function periodText(seconds: number): string {
  const [unit, size] = periods.find(([, one]) => seconds >= one && seconds % one === 0) ?? ['second', 1];
  const count = seconds / size;
  return `${count.toLocaleString()} ${unit}${count === 1 ? '' : 's'}`;
}

/** US dollars; small amounts keep two significant digits. */
export function usdText(usd: number): string {
  const digits = usd === 0 || usd >= 0.01 ? 2 : Math.min(8, 1 - Math.floor(Math.log10(usd)));
  return `$${usd.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: digits })}`;
}
