/** As many positions as a server takes in one read. */
const maxNamed = 100;

/** A position with its number in clear, as those get it who may read the audit. */
const numbered = /^([0-9a-f]{12})-([0-9a-z]{1,10})(?:~[0-9a-f]+)?$/;

/**
 * The positions that this client's reads must include. Of positions that show their number the latest is kept. Others are opaque: each is
 * kept until a read has included them all, since the answer to a repeated command has an earlier position than the one before it.
 */
export class SeenPosition {
  /** In the order in which they arrived. */
  readonly #positions = new Set<string>();

  /** The positions, separated by commas, as `minPosition` takes them; undefined if there is none. */
  get latest(): string | undefined {
    return this.#positions.size === 0 ? undefined : [...this.#positions].join(',');
  }

  /** Adds the position of a command, or several that another client has seen. Answers arrive in any order. */
  add(positions: string): void {
    for (const position of positions.split(',')) this.#add(position);
    for (const oldest of this.#positions) {
      if (this.#positions.size <= maxNamed) return;
      this.#positions.delete(oldest);
    }
  }

  /** A read that had to include `asked` was answered from `reached`, which takes the place of several. */
  included(asked: string, reached: string): void {
    if (!asked.includes(',')) return;
    this.forget(asked);
    this.add(reached);
  }

  /** Forgets positions; also those that the server does not know, because its log was replaced. */
  forget(positions: string): void {
    for (const position of positions.split(',')) this.#positions.delete(position);
  }

  #add(position: string): void {
    this.#positions.delete(position);
    for (const other of numbered.test(position) ? this.#positions : []) {
      if (!numbered.test(other)) continue;
      if (!isLater(position, other)) return;
      this.#positions.delete(other);
    }
    this.#positions.add(position);
  }
}

/** Of two logs, the one seen last is taken to be the current one. */
function isLater(position: string, than: string): boolean {
  const [, log, number = ''] = numbered.exec(position)!;
  const [, thanLog, thanNumber = ''] = numbered.exec(than)!;
  if (log !== thanLog || number.length > thanNumber.length) return true;
  return number.length === thanNumber.length && number > thanNumber;
}
