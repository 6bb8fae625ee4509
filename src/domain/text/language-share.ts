import { STOP_WORDS } from './stop-words.ts';
import { words } from './tokens.ts';

/** Frequent words, folded, of languages in Latin letters, without those that are English words as well; related languages together. */
const FREQUENT_WORDS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [
    'der die das und ist nicht ein eine einen einem mit fur von zu den dem im auf sich sind wird werden bei nach wir ich am kein keine nur oder aber auch als wie hat habe beim vor zum zur uber mein meine kann', // German
    'le la les des est et un une pour dans que qui pas sur avec nous vous ils elle au aux du ce cette sont ne se mais ou son sa ses leur sans je il a', // French
    'el los las una por con para que del se es como pero su sus esta este son mas lo al pero muy sin ya mi le desde hasta', // Spanish
    'il che di per non una sono con della delle dei gli nel alla questo anche lo al dal nella mi si ma ho ha', // Italian
    'os uma para com nao do da em dos das que por mais ele ela esta sao mas na seu sua foi ja ate', // Portuguese
    'het een van en niet op voor dat zijn met aan wordt naar ook maar ik je om bij nog', // Dutch
    'och att det som pa inte ett ar av med til ikke og jeg har der vi ja ei ole', // Nordic languages
    'nie na jest do ze sie jak przez dla oraz jsem neni ktery', // Polish, Czech
    've bir bu icin ile da de olarak var', // Turkish
    'la cua va khong cac duoc trong nguoi mot co', // Vietnamese
    'yang dan untuk dengan ini itu tidak pada adalah akan', // Indonesian
    'nem hogy egy az es van si este sunt pentru care cu', // Hungarian, Romanian
  ].map((line) => [
    line.slice(0, line.indexOf(' ')),
    new Set(line.split(' ').filter((word) => !STOP_WORDS.has(word))),
  ]),
);
const FOREIGN_WORDS: ReadonlySet<string> = new Set([...FREQUENT_WORDS.values()].flatMap((all) => [...all]));
/** Scripts of few languages each. Japanese has Han letters too, so kana are looked for first. */
const SCRIPTS = [
  /[\p{Script=Hiragana}\p{Script=Katakana}]/u,
  /\p{Script=Han}/u,
  /\p{Script=Hangul}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Arabic}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Devanagari}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Thai}/u,
];

/** The language of a text with fewer words cannot be told. */
const LEAST_WORDS = 4;
const MOST_WORDS = 80;
/** Share of the letters of a text that are not Latin; above it, it is not in English. */
const MOST_OTHER_LETTERS = 0.3;

/**
 * Whether a text is in English, by its letters and by the frequent words of English and of other languages in Latin letters. Undefined
 * if that cannot be told (a log, code, a few names). Meant for shares of many texts: single ones may be misjudged.
 */
export function isEnglish(text: string): boolean | undefined {
  if (isInOtherLetters(text)) return false;
  const found = words(text).slice(0, MOST_WORDS);
  if (found.length < LEAST_WORDS) return undefined;
  const english = found.filter((word) => STOP_WORDS.has(word)).length;
  const foreign = found.filter((word) => FOREIGN_WORDS.has(word)).length;
  return english === foreign ? undefined : english > foreign;
}

function isInOtherLetters(text: string): boolean {
  const letters = text.match(/\p{L}/gu) ?? [];
  const latin = letters.filter((letter) => /\p{Script=Latin}/u.test(letter)).length;
  return letters.length > 0 && (letters.length - latin) / letters.length > MOST_OTHER_LETTERS;
}

/**
 * A name for the language of a text: equal for texts of one language, different for those of others. Related languages, and those of
 * one script, may share a name. Undefined if it cannot be told.
 */
export function languageOf(text: string): string | undefined {
  if (isInOtherLetters(text)) return SCRIPTS.find((script) => script.test(text))?.source ?? 'other';
  const found = words(text).slice(0, MOST_WORDS);
  if (found.length < LEAST_WORDS) return undefined;
  const counts = [['english', STOP_WORDS] as const, ...FREQUENT_WORDS].map(
    ([name, frequent]) => [name, found.filter((word) => frequent.has(word)).length] as const,
  );
  const [best, second] = counts.sort(([, left], [, right]) => right - left);
  return best![1] > second![1] ? best![0] : undefined;
}

export interface LanguageShare {
  /** Number of texts whose language could be told. */
  readonly judged: number;
  /** Number of these texts that are not in English. */
  readonly foreign: number;
}

export function languageShareOf(texts: readonly string[]): LanguageShare {
  const judged = texts.map(isEnglish).filter((english) => english !== undefined);
  return { judged: judged.length, foreign: judged.filter((english) => !english).length };
}
