/**
 * The latest position that the server returned for this client's own commands. Positions are opaque to callers; this client comes with
 * the server and may compare them: `<log>-<number in base 36>`.
 */
export class SeenPosition {
  #latest: string | undefined;

  get latest(): string | undefined {
    return this.#latest;
  }

  /** Answers arrive in any order: an earlier position of the same log changes nothing. */
  add(position: string): void {
    if (this.#latest === undefined || isLater(position, this.#latest)) this.#latest = position;
  }

  /** Forgets a position that the server does not know, because its log was replaced. */
  forget(position: string): void {
    if (this.#latest === position) this.#latest = undefined;
  }
}

/** Of two logs, the one seen last is taken to be the current one. */
function isLater(position: string, than: string): boolean {
  const [log, number = ''] = position.split('-');
  const [thanLog, thanNumber = ''] = than.split('-');
  if (log !== thanLog || number.length > thanNumber.length) return true;
  return number.length === thanNumber.length && number > thanNumber;
}
