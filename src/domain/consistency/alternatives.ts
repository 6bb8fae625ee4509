/**
 * Words of which one excludes the others, by sides that mean the same. Closed lists: of two words that are not among
 * them (tall and kind, blue and bright) nothing tells whether both may hold.
 */
class Alternatives {
  readonly #sides = new Map<string, readonly [group: number, side: number]>();

  constructor(groups: readonly string[]) {
    for (const [group, sides] of groups.entries())
      for (const [side, words] of sides.split(' | ').entries())
        for (const word of words.split(' ')) this.#sides.set(word, [group, side]);
  }

  exclude(left: string, right: string): boolean {
    const [own, other] = [this.#sides.get(left), this.#sides.get(right)];
    return own !== undefined && other !== undefined && own[0] === other[0] && own[1] !== other[1];
  }
}

/** What a thing is or is not. */
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

export function areOpposite(left: string, right: string): boolean {
  return STATES.exclude(left, right) || left === `un${right}` || right === `un${left}`;
}

const COLOURS = new Alternatives([
  'red | orange | yellow | green | blue | purple violet | pink | brown | black | white | grey gray',
]);

export function areColours(left: string, right: string): boolean {
  return COLOURS.exclude(left, right);
}

/** Of what a thing uses, or a person prefers, one of a kind as a rule. */
const CHOICES = new Alternatives([
  'postgresql postgres | mysql | mariadb | sqlite | oracle | mongodb',
  'npm | yarn | pnpm | bun',
  'git | svn subversion | mercurial',
  'tabs | spaces',
  'dark | light',
]);

export function areChoices(left: string, right: string): boolean {
  return CHOICES.exclude(left, right);
}
