/** Where a phone number stands in a text. */
export interface PhonePlace {
  readonly start: number;
  readonly end: number;
}

/** A number as people write it: with a plus, or in at least two groups. */
const written =
  /(?<![A-Za-z0-9_.,/#+-])(?:\+|\(\+?\d{1,4}\)|\d)[\d \u00a0()./-]{5,24}\d(?![A-Za-z0-9_]|[.,:-]\d)/gu;
/** Words before a number that is another one. */
const otherNumber =
  /\b(?:order|ticket|version|room|pages?|isbn|ean|invoice|serial|tracking|part|customer|contract|account|zip|lot|shelf|coordinates|no\.|nr\.|id)\b[^.;]{0,12}$/iu;
/** Where numbers without a country code are looked up. */
const regions = [
  'US',
  'GB',
  'DE',
  'FR',
  'AU',
  'SE',
  'NL',
  'JP',
  'CH',
  'AT',
  'IT',
  'ES',
  'BE',
  'PL',
  'IN',
  'BR',
] as const;
/** A text with very many numbers is a table of them: the first ones say so. */
const mostCandidates = 500;

/** Phone numbers in international form, or in the form of one of the larger countries. The library is loaded when it is first needed. */
export async function findPhoneNumbers(text: string): Promise<PhonePlace[]> {
  const candidates: PhonePlace[] = [];
  for (const { 0: found, index: start } of text.matchAll(written)) {
    if (otherNumber.test(text.slice(Math.max(0, start - 40), start))) continue;
    candidates.push({ start, end: start + found.length });
    if (candidates.length === mostCandidates) break;
  }
  if (candidates.length === 0) return [];
  const { parsePhoneNumberFromString } = await import('libphonenumber-js/max');
  const isPhone = (number: string): boolean => {
    const digits = number.replaceAll(/\D/g, '');
    if (digits.length < 8 || digits.length > 15 || /^\d{4}[-/.]\d{2}[-/.]\d{2}$/.test(number)) return false;
    // Single digits in a row are readings or a list.
    if (/(?:^|\D)\d\D+\d(?:\D|$)/.test(number.replace(/^[+(]?1[ -]/, ''))) return false;
    if (number.startsWith('+')) return parsePhoneNumberFromString(number)?.isPossible() ?? false;
    // Bare digits without a trunk prefix may be anything.
    if (!/^[(0]|^1[ -]/.test(number)) return false;
    return regions.some((region) => parsePhoneNumberFromString(number, region)?.isPossible() ?? false);
  };
  return candidates.filter(({ start, end }) => isPhone(text.slice(start, end)));
}
