import { passesLuhn, remainderOf } from './checksums.ts';
import { digitRuns, wordsBefore } from './number-groups.ts';
import type { PersonalDatum } from './personal-data.ts';

/** Lengths and first digits of the card networks. */
const networks: readonly (readonly [RegExp, readonly number[]])[] = [
  [/^4/, [16, 19]],
  [/^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  [/^3[47]/, [15]],
  [/^(6011|64[4-9]|65)/, [16, 19]],
  [/^35(2[89]|[3-8])/, [16, 19]],
  [/^(30[0-5]|36|38|39)/, [14, 16]],
  [/^62/, [16, 17, 18, 19]],
];

/** Numbers of other things that pass the checksum by chance, one in ten. */
const otherNumbers =
  /\b(order|invoice|tracking|parcel|ticket|serial|part|batch|lot|bestell\w*|rechnung\w*)\b[^.]*$/;

/** Payment cards: a network's first digits and length, and the Luhn checksum. */
export function* findCards(text: string): Generator<PersonalDatum> {
  for (const { digits, start, end } of digitRuns(text, 14, 19)) {
    const isOfNetwork = networks.some(
      ([prefix, lengths]) => lengths.includes(digits.length) && prefix.test(digits),
    );
    if (!isOfNetwork || !passesLuhn(digits) || otherNumbers.test(wordsBefore(text, start))) continue;
    yield { type: 'card', start, end };
  }
}

/** Lengths of IBANs by country (registry of SWIFT, ISO 13616). */
const ibanLengths: Readonly<Record<string, number>> = {
  AD: 24, AE: 23, AL: 28, AT: 20, AZ: 28, BA: 20, BE: 16, BG: 22, BH: 22, BR: 29, BY: 28, CH: 21, CR: 22, CY: 28, CZ: 24,
  DE: 22, DK: 18, DO: 28, EE: 20, EG: 29, ES: 24, FI: 18, FO: 18, FR: 27, GB: 22, GE: 22, GI: 23, GL: 18, GR: 27, GT: 28,
  HR: 21, HU: 28, IE: 22, IL: 23, IQ: 23, IS: 26, IT: 27, JO: 30, KW: 30, KZ: 20, LB: 28, LC: 32, LI: 21, LT: 20, LU: 20,
  LV: 21, MC: 27, MD: 24, ME: 22, MK: 19, MR: 27, MT: 31, MU: 30, NL: 18, NO: 15, PK: 24, PL: 28, PS: 29, PT: 25, QA: 29,
  RO: 24, RS: 22, SA: 24, SC: 31, SE: 24, SI: 19, SK: 24, SM: 27, ST: 25, SV: 28, TL: 23, TN: 24, TR: 26, UA: 29, VA: 22,
  VG: 24, XK: 20,
}; // prettier-ignore

const ibanStart = /(?<![\p{L}\p{N}])[A-Z]{2}\d{2}/gu;

/** IBANs: the length of the country and the remainder of ISO 7064, MOD 97-10. */
export function* findIbans(text: string): Generator<PersonalDatum> {
  for (const { 0: begin, index } of text.matchAll(ibanStart)) {
    const length = ibanLengths[begin.slice(0, 2)];
    if (length === undefined) continue;
    const end = endOf(text, index, length);
    if (end === undefined) continue;
    const compact = text.slice(index, end).replaceAll(/[ \u00a0]/g, '');
    if (isIban(compact)) yield { type: 'iban', start: index, end };
  }
}

/** Where `length` letters and digits from `start` end, single spaces between them; undefined if there are fewer, or more follow. */
function endOf(text: string, start: number, length: number): number | undefined {
  let found = 0;
  let at = start;
  for (; at < text.length && found < length; at++) {
    if (/[A-Z0-9]/.test(text[at]!)) found++;
    else if (!/[ \u00a0]/.test(text[at]!) || !/[A-Z0-9]/.test(text[at + 1] ?? '')) return undefined;
  }
  return found === length && !/[\p{L}\p{N}]/u.test(text[at] ?? '') ? at : undefined;
}

function isIban(compact: string): boolean {
  const moved = compact.slice(4) + compact.slice(0, 4);
  const digits = moved.replaceAll(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return remainderOf(digits, 97) === 1;
}
