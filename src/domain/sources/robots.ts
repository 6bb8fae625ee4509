interface Rule {
  readonly allows: boolean;
  readonly pattern: string;
}

/** Rules that are looked at: RFC 9309 asks for the first 500 KiB of a file. */
const maxCharacters = 512_000;
const maxRules = 2_000;

/** What a site's `robots.txt` permits (RFC 9309). */
export class Robots {
  readonly #rules: readonly Rule[];

  /** `agent` is the product token of the program, in lower case. */
  constructor(text: string, agent: string) {
    this.#rules = rulesFor(text.slice(0, maxCharacters), agent);
  }

  /** Whether a path, with its query, may be fetched. The longest rule that matches decides, and of equal ones the one that allows. */
  permits(path: string): boolean {
    let best: Rule | undefined;
    for (const rule of this.#rules) {
      if (!matches(rule.pattern, path)) continue;
      const longer = rule.pattern.length - (best?.pattern.length ?? -1);
      if (longer > 0 || (longer === 0 && rule.allows)) best = rule;
    }
    return best?.allows ?? true;
  }
}

/** The rules of the groups that name the program, or of those for all. */
function rulesFor(text: string, agent: string): Rule[] {
  const own: Rule[] = [];
  const general: Rule[] = [];
  let groups: Rule[][] = [];
  let isNaming = false;
  let isNamed = false;
  for (const line of text.split(/\r\n?|\n/)) {
    const { field, value } = /^\s*(?<field>[\w-]+)\s*:\s*(?<value>[^#]*)/.exec(line)?.groups ?? {};
    const name = field?.toLowerCase();
    const said = value?.trim() ?? '';
    if (name === 'user-agent') {
      if (!isNaming) groups = [];
      isNaming = true;
      if (said === '*') groups.push(general);
      else if (said.toLowerCase() === agent) {
        groups.push(own);
        isNamed = true;
      }
    } else if (name === 'allow' || name === 'disallow') {
      isNaming = false;
      if (said === '') continue;
      for (const group of groups)
        if (group.length < maxRules) group.push({ allows: name === 'allow', pattern: said });
    }
  }
  return isNamed ? own : general;
}

/** `*` stands for anything, and `$` at the end for the end. Linear in the path for each part of the pattern. */
function matches(pattern: string, path: string): boolean {
  const isAnchored = pattern.endsWith('$');
  const [first = '', ...parts] = (isAnchored ? pattern.slice(0, -1) : pattern).split('*');
  if (!path.startsWith(first)) return false;
  let at = first.length;
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    if (isLast && isAnchored) return path.length - part.length >= at && path.endsWith(part);
    const found = path.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return !isAnchored || at === path.length;
}
