/**
 * Groups of mutually exclusive words. `|` separates the alternatives of a group; words of one alternative are synonyms. The
 * lists are closed: for other words (tall and kind, blue and bright) it is unknown whether both can be true.
 */
class Alternatives {
  readonly #alternatives = new Map<string, readonly [group: number, alternative: number]>();

  constructor(groups: readonly string[]) {
    for (const [group, alternatives] of groups.entries())
      for (const [alternative, words] of alternatives.split(' | ').entries())
        for (const word of words.split(' ')) this.#alternatives.set(word, [group, alternative]);
  }

  has(word: string): boolean {
    return this.#alternatives.has(word);
  }

  exclude(left: string, right: string): boolean {
    const [own, other] = [this.#alternatives.get(left), this.#alternatives.get(right)];
    return own !== undefined && other !== undefined && own[0] === other[0] && own[1] !== other[1];
  }
}

/** States of a thing. */
const STATES = new Alternatives([
  'enabled activated active on | disabled deactivated inactive off',
  'online up | offline down',
  'connected | disconnected',
  'true | false',
  'open | closed shut',
  'allowed permitted granted | forbidden prohibited disallowed banned denied',
  'required mandatory compulsory | optional',
  'public | private',
  'valid | invalid',
  'correct right | incorrect wrong',
  'possible | impossible',
  'legal | illegal',
  'complete | incomplete',
  'visible | invisible hidden',
  'mutable | immutable',
  'synchronous | asynchronous',
  'accepted approved | rejected declined',
  'empty | full',
  'alive | dead',
  'married | single divorced',
]);

/** Whether two words in lower case are opposite states, also by the prefix "un". */
export function areOpposite(left: string, right: string): boolean {
  return STATES.exclude(left, right) || left === `un${right}` || right === `un${left}`;
}

/** Whether a word in lower case is one of the listed states. */
export function isState(word: string): boolean {
  return STATES.has(word);
}

const COLOURS = new Alternatives([
  'red | orange | yellow | green | blue | purple violet | pink | brown | black | white | grey gray',
]);

/** Whether two words in lower case are different colours. */
export function areColours(left: string, right: string): boolean {
  return COLOURS.exclude(left, right);
}

/** Tools and preferences of which one of a kind is normally used. */
const CHOICES = new Alternatives([
  'postgresql postgres | mysql | mariadb | sqlite | oracle | mongodb',
  'npm | yarn | pnpm | bun',
  'git | svn subversion | mercurial',
  'tabs | spaces',
  'dark | light',
  'aisle | window',
  'metric | imperial',
  'celsius | fahrenheit',
  'formal | informal',
]);

/** Whether a word in lower case is one of the listed choices. */
export function isChoice(word: string): boolean {
  return CHOICES.has(word);
}

/** Whether two words in lower case are alternatives of one choice. */
export function areChoices(left: string, right: string): boolean {
  return CHOICES.exclude(left, right);
}
