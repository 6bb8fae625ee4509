/**
 * Whether a path matches a pattern: `?` is one character and `*` any number of them within a folder, `**` goes across folders. A pattern
 * without a slash is compared with the name of the file alone. Case does not count, and backslashes are slashes. Takes time in the
 * product of both lengths at most, whatever the pattern is.
 */
export function matchesGlob(path: string, pattern: string): boolean {
  const wanted = normalized(pattern);
  const given = normalized(path);
  return wanted.includes('/')
    ? matches(given.replace(/^\/+/, ''), tokensOf(wanted.replace(/^\/+/, '')))
    : matches(given.slice(given.lastIndexOf('/') + 1), tokensOf(wanted));
}

/** Whether a short value such as the name of a source matches a pattern in which `*` is any number of characters. */
export function matchesWildcard(value: string, pattern: string): boolean {
  const tokens = tokensOf(pattern.toLowerCase()).map((token) => (token === 'folder' ? 'all' : token));
  return matches(value.toLowerCase(), tokens);
}

/** `folder` and `all` are any number of characters, without slashes and with them; `folders` is nothing or whole folders. */
type Token = { readonly character: string } | 'one' | 'folder' | 'all' | 'folders';

function normalized(path: string): string {
  return path.replaceAll('\\', '/').replace(/^\.\//, '').toLowerCase();
}

function tokensOf(pattern: string): Token[] {
  const parts = pattern.match(/\*\*\/|\*+|\?|[^*?]/gu) ?? [];
  return parts.map((part, index): Token => {
    if (part === '**/') return index === 0 || parts[index - 1] === '/' ? 'folders' : 'all';
    if (part === '?') return 'one';
    if (part.startsWith('*')) return part.length > 1 ? 'all' : 'folder';
    return { character: part };
  });
}

/** Keeps, for each prefix of the text, whether the tokens so far match it. */
function matches(text: string, tokens: readonly Token[]): boolean {
  const characters = Array.from(text);
  let reached = [true, ...characters.map(() => false)];
  for (const token of tokens) {
    const next = reached.map(() => false);
    for (let at = 0; at <= characters.length; at++) {
      const before = characters[at - 1];
      if (token === 'all') next[at] = reached[at]! || (at > 0 && next[at - 1]!);
      else if (token === 'folder') next[at] = reached[at]! || (at > 0 && before !== '/' && next[at - 1]!);
      else if (token === 'folders')
        next[at] = reached[at]! || (before === '/' && reached.slice(0, at).includes(true));
      else if (at > 0 && reached[at - 1]!)
        next[at] = token === 'one' ? before !== '/' : before === token.character;
    }
    reached = next;
  }
  return reached.at(-1)!;
}
