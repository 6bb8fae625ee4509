import type { PersonalDatum } from './personal-data.ts';

const name = String.raw`(?:password|passwd|passphrase|passwort|kennwort|pwd|secret|token|api[_-]?key|access[_-]?key|secret[_-]?access[_-]?key|client[_-]?secret|private[_-]?key|credentials?)`;

/** A name and a value: `password: …`, `api_key="…"`, `the passphrase is …`. */
const assignment = new RegExp(
  String.raw`${name}["']?(?<sign>\s{0,4}[:=]{1,2}\s{0,4}|\s+is\s+|\s+)["']?(?<value>[^\s"'<>{}()[\],;]{8,256})`,
  'giud',
);
const bearer = /\bbearer\s+(?<value>[A-Za-z0-9._~+/=-]{20,2048})/dgi;
const inUrl = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/]{1,64}:(?<value>[^\s@/]{3,128})@/dgi;
const webToken = /(?<value>\beyJ[A-Za-z0-9_-]{8,2048}\.eyJ[A-Za-z0-9_-]{4,4096}\.[A-Za-z0-9_-]{8,1024})/dg;
const keyBlock =
  /(?<value>-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----[^-]{16,16384}-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----)/dg;
const awsKey = /(?<value>(?<![A-Za-z0-9])(?:AKIA|ASIA)[0-9A-Z]{16}(?![A-Za-z0-9]))/dg;

/** What stands for a value that is elsewhere, or still to come. */
const placeholder =
  /^(?:\$|%|\*|x{4}|your|my|example|changeme|placeholder|redacted|os\.|env|process\.|config|none|null|true|false|undefined|vault)|\.(?:env|environ)\b|\.\.\.|…/i;
const phrase = /^\p{L}+(?:-\p{L}+){2,}$/u;

/** Secrets that are in no list of known forms: values after a name that says so, tokens, keys and passwords in addresses. */
export function* findSecrets(text: string): Generator<PersonalDatum> {
  for (const match of text.matchAll(assignment)) {
    const { sign = '', value = '' } = match.groups ?? {};
    const trimmed = value.replace(/[.!?]+$/, '');
    // Without a sign of assignment, only a value that is none of a sentence's words.
    const isNamed = /[:=]/.test(sign)
      ? looksSecret(trimmed)
      : sign.trim() === 'is'
        ? looksSecret(trimmed) || phrase.test(trimmed)
        : looksRandom(trimmed);
    if (placeholder.test(trimmed) || !isNamed) continue;
    const [start] = match.indices!.groups!['value']!;
    yield { type: 'secret', start, end: start + trimmed.length };
  }
  for (const pattern of [bearer, inUrl, webToken, keyBlock, awsKey]) {
    for (const match of text.matchAll(pattern)) {
      const [start, end] = match.indices!.groups!['value']!;
      if (!placeholder.test(text.slice(start, end))) yield { type: 'secret', start, end };
    }
  }
}

/** Characters of at least two kinds: no plain word. */
function looksSecret(value: string): boolean {
  const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\d/, /[^\p{L}\d]/u].filter((kind) => kind.test(value)).length;
  return kinds >= 2 && (/\d/.test(value) || kinds >= 3);
}

/** Letters and digits mixed, as no word has them. */
function looksRandom(value: string): boolean {
  return value.length >= 16 && /\d/.test(value) && /\p{L}/u.test(value) && /^[\w+/=.-]+$/.test(value);
}

/** Whether the text has anything that could be a token of a known form: a long word of letters and digits. */
export function mayHaveToken(text: string): boolean {
  return /[A-Za-z0-9_-]{20}/.test(text);
}
