import { fold } from '../text/fold.ts';
import { USER } from './state-cues.ts';

/** A sentence whose subject is the user. */
export interface UserSubject {
  /** "User's …": what follows is something that the user has. */
  readonly isPossessive: boolean;
  /** What follows the name. */
  readonly rest: string;
}

const USER_WORD = new RegExp(`^(?:${USER.join('|')})(?!\\p{L})`, 'iu');
/** "My name is Mia", "Call me Mia", "Ich heiße Mia". */
const INTRODUCTION =
  /(?<!\p{L})(?:[Mm]y name is|[Cc]all me|I['’]m called|[Uu]ser['’]s name is|[Uu]ser is called|[Ii]ch hei(?:ß|ss)e|[Mm]ein Name ist|[Jj]e m['’]appelle|[Mm]e llamo|[Mm]i chiamo|[Mm]e chamo|[Cc]hamo-me|[Ii]k heet) (\p{Lu}[\p{L}'’-]+)/gu;
/** Before a name that is no subject in the grammar but is what the sentence is about: "A Mateo le gusta …", "Alergia de Mateo: …". */
const LEAD = /^(?:(?<allergy>allerg(?:y|ie|ia)|alergia)\s+(?:of|von|de|di|van)|[ao]|para|für|pour|for)\s+/iu;
/** Titles that follow a name in Japanese. */
const HONORIFIC = /^(?:さん|様|くん|ちゃん)/u;
/** Parts of ids such as `user-42` that are no names. */
const NO_NAME = new Set(['user', 'users', 'the', 'admin', 'test', 'id', 'usr']);

/** The names by which memories speak of one user. */
export class UserNames {
  readonly #names: ReadonlySet<string>;

  /** `user`: the id, which often contains a name ("mia", "dana.kessel"). `texts`: memories in which the user may say a name. */
  constructor(user: string, texts: Iterable<string>) {
    const parts = user.split(/[^\p{L}]+/u).filter((part) => part.length > 1);
    const told = [...texts].flatMap((text) => [...text.matchAll(INTRODUCTION)].map(([, name]) => name!));
    this.#names = new Set([...parts, ...told].map(fold).filter((name) => !NO_NAME.has(name)));
  }

  /** Whether this names the user: "user", "Mia", "Mia Olsen", "user (Mia)". */
  has(speaker: string): boolean {
    if (USER_WORD.test(speaker)) return true;
    const [first = ''] = speaker.replace(/(?:さん|様)?(?:より)?$/u, '').split(/[\s(]/u);
    return this.#names.has(fold(first));
  }

  /** The sentence as one about the user; undefined if it begins with nothing that names the user. */
  startOf(sentence: string): UserSubject | undefined {
    const lead = LEAD.exec(sentence);
    const text = sentence.slice(lead?.[0].length ?? 0);
    const called = USER_WORD.exec(text)?.[0] ?? this.#nameAt(text);
    if (called === undefined) return undefined;
    const rest = text.slice(called.length).replace(HONORIFIC, '');
    const allergy = lead?.groups!['allergy'];
    if (allergy !== undefined) return { isPossessive: true, rest: `${allergy}${rest}` };
    const possessive = /^['’]s?\s/u.exec(rest);
    return possessive
      ? { isPossessive: true, rest: rest.slice(possessive[0].length) }
      : { isPossessive: false, rest: rest.replace(/^ \p{Lu}\p{L}+(?= )/u, '') };
  }

  /** The name of the user at the beginning of a text, a family name after it not included. */
  #nameAt(text: string): string | undefined {
    const [word] = /^\p{L}[\p{L}-]*/u.exec(text) ?? [];
    if (word === undefined) return undefined;
    if (this.#names.has(fold(word))) return word;
    // Without spaces the name is followed by a particle at once.
    return [...this.#names].find((name) => /^[^\p{Script=Latin}]/u.test(name) && fold(text).startsWith(name));
  }
}
