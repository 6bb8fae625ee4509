/** A number with three significant digits. */
export const rounded = (value: number): string =>
  Number.isInteger(value)
    ? value.toLocaleString()
    : Number(value.toPrecision(3)).toLocaleString(undefined, { maximumSignificantDigits: 3 });
