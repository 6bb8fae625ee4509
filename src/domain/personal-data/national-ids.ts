import { passesLuhn, passesMod11of10, passesVerhoeff, remainderOf, weighted } from './checksums.ts';
import { wordsBefore } from './number-groups.ts';
import type { PersonalDatum } from './personal-data.ts';

/** One kind of number that a state gives its people. */
interface NationalId {
  /** Its form, global, without unbounded repetition. */
  readonly form: RegExp;
  /** Whether the number, without separators, passes its checksum; forms without one leave it out. */
  readonly check?: (compact: string) => boolean;
  /** Words that must stand before a form that other numbers have too. */
  readonly cue?: RegExp;
}

const separators = /[ \u00a0./-]/g;
const edge = String.raw`(?<![\p{L}\p{N}.-])`;
const end = String.raw`(?![\p{L}\p{N}]|[.-]\d)`;
const form = (pattern: string): RegExp => new RegExp(`${edge}(?:${pattern})${end}`, 'gu');
const dniLetters = 'TRWAGMYFPDXBNJZSQVHLCKE';

const ids: readonly NationalId[] = [
  // United States: social security number.
  { form: form(String.raw`(?!000|666)\d{3}-(?!00)\d{2}-(?!0000)\d{4}`) },
  // United Kingdom: National Insurance number.
  {
    form: form(
      String.raw`(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]`,
    ),
  },
  // Germany: tax id. One digit of the first ten occurs twice or three times.
  {
    form: form(String.raw`[1-9]\d ?\d{3} ?\d{3} ?\d{3}`),
    check: (id) => passesMod11of10(id) && repeatsOneDigit(id.slice(0, 10)),
    cue: /steuer|\btax\b|\btin\b|idnr|identifikationsnummer/,
  },
  // Switzerland: AHV number.
  { form: form(String.raw`756\.?\d{4}\.?\d{4}\.?\d{2}`), check: (id) => passesEan(id) },
  // Spain: DNI and NIE.
  {
    form: form(String.raw`(?:\d{8}|[XYZ]-?\d{7})-?[A-HJ-NP-TV-Z]`),
    check: (id) =>
      dniLetters[
        Number(id.slice(0, -1).replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter)))) % 23
      ] === id.at(-1),
  },
  // Italy: codice fiscale.
  { form: form(String.raw`[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]`), check: isCodiceFiscale },
  // France: NIR of the social security.
  {
    form: form(String.raw`[12] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}`),
    check: isNir,
  },
  // Poland: PESEL, which begins with a date of birth.
  {
    form: form(String.raw`\d{2}(?:[02468][1-9]|[13579][0-2])(?:0[1-9]|[12]\d|3[01])\d{5}`),
    check: (id) => weighted(id, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0,
    cue: /pesel/,
  },
  // Sweden: personal number.
  {
    form: form(String.raw`(?:19|20)?\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[-+]\d{4}`),
    check: (id) => passesLuhn(id.replace('+', '').slice(-10)),
  },
  // Brazil: CPF.
  { form: form(String.raw`\d{3}\.\d{3}\.\d{3}-\d{2}`), check: isCpf },
  { form: form(String.raw`\d{11}`), check: isCpf, cue: /\bcpf\b/ },
  // India: Aadhaar.
  { form: form(String.raw`[2-9]\d{3} ?\d{4} ?\d{4}`), check: passesVerhoeff, cue: /aadhaar|uidai|\buid\b/ },
  // Netherlands: BSN.
  {
    form: form(String.raw`\d{9}|\d{4}\.\d{2}\.\d{3}`),
    check: (id) => weighted(id, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0,
    cue: /\bbsn\b|burgerservice|sofinummer/,
  },
];

/** Numbers that a state gives its people, with the checksum where the number has one. */
export function* findNationalIds(text: string): Generator<PersonalDatum> {
  for (const { form: pattern, check, cue } of ids) {
    for (const { 0: found, index: start } of text.matchAll(pattern)) {
      if (check && !check(found.replaceAll(separators, ''))) continue;
      if (cue && !cue.test(wordsBefore(text, start, 48))) continue;
      yield { type: 'national-id', start, end: start + found.length };
    }
  }
}

function repeatsOneDigit(digits: string): boolean {
  const counts = new Map<string, number>();
  for (const digit of digits) counts.set(digit, (counts.get(digit) ?? 0) + 1);
  const repeated = [...counts.values()].filter((count) => count > 1);
  return repeated.length === 1 && repeated[0]! <= 3;
}

const passesEan = (digits: string): boolean =>
  weighted(digits, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0;

function isCpf(digits: string): boolean {
  if (/^(\d)\1*$/.test(digits)) return false;
  const check = (length: number) => {
    const weights = Array.from({ length }, (_, index) => length + 1 - index);
    return ((weighted(digits, weights) * 10) % 11) % 10;
  };
  return check(9) === Number(digits[9]) && check(10) === Number(digits[10]);
}

function isNir(id: string): boolean {
  const digits = id.replace('2A', '19').replace('2B', '18');
  return 97 - remainderOf(digits.slice(0, 13), 97) === Number(digits.slice(13));
}

/** Values of the characters at odd places, in the order 0-9 and A-Z (decree of 23 December 1976). */
const oddValues = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
];

function isCodiceFiscale(code: string): boolean {
  const place = (character: string) =>
    /\d/.test(character) ? Number(character) : character.charCodeAt(0) - 65;
  let sum = 0;
  for (let index = 0; index < 15; index++) {
    const value = place(code[index]!);
    sum += index % 2 === 0 ? oddValues[value]! : value;
  }
  return String.fromCharCode(65 + (sum % 26)) === code[15];
}
