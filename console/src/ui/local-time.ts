/** The value of a field of the type `datetime-local` for a time: in the reader's zone, without an offset. Empty for none. */
export function toLocal(at: string | undefined): string {
  const time = new Date(at ?? '');
  if (Number.isNaN(time.getTime())) return '';
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** A time in UTC: of such a field, or with an offset of its own. Undefined if it is none. */
export function fromLocal(value: string): string | undefined {
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
