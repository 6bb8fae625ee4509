import { wordsBefore } from './number-groups.ts';
import type { PersonalDatum } from './personal-data.ts';

const localPart = /[\p{L}\p{N}._%+'’-]{1,64}$/u;
const domainPart =
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}-])/u;
/** Ends of file names, such as foo@2x.png. */
const fileEnding = /\.(?:png|jpe?g|gif|svg|webp|avif|css|s?css|js|ts|json|md|html?|pdf|zip)$/i;

/** E-mail addresses, found from their @. */
export function* findEmails(text: string): Generator<PersonalDatum> {
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const local = localPart.exec(text.slice(Math.max(0, at - 64), at))?.[0].replace(/^['’.]+/, '');
    const domain = domainPart.exec(text.slice(at + 1, at + 256))?.[0];
    if (!local || !domain || local.endsWith('.') || fileEnding.test(domain)) continue;
    yield { type: 'email', start: at - local.length, end: at + 1 + domain.length };
  }
}

const octet = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;
const ipv4 = new RegExp(
  String.raw`(?<![\p{L}\p{N}.-])${octet}(?:\.${octet}){3}(?![\p{L}\p{N}]|\.\d|-\d)`,
  'gu',
);
const ipv6 = /(?<![\p{L}\p{N}:.])[0-9a-f:]{2,39}(?![\p{L}\p{N}:])/giu;
/** Words before four numbers that are a version or a section. */
const otherNumber =
  /(?:version|firmware|release|build|section|chapter|clause|abschnitt|kapitel|§|\bv)\.?\s*$/;

/** IP addresses of both versions. */
export function* findIps(text: string): Generator<PersonalDatum> {
  for (const { 0: found, index: start } of text.matchAll(ipv4)) {
    if (otherNumber.test(wordsBefore(text, start, 16))) continue;
    yield { type: 'ip', start, end: start + found.length };
  }
  for (const { 0: found, index: start } of text.matchAll(ipv6))
    if (isIpv6(found)) yield { type: 'ip', start, end: start + found.length };
}

/** Eight groups of hexadecimal digits, of which `::` may stand for some. */
function isIpv6(text: string): boolean {
  const [head = '', tail, ...more] = text.split('::');
  if (more.length > 0) return false;
  const groups = [head, tail ?? ''].flatMap((part) => (part === '' ? [] : part.split(':')));
  if (groups.some((group) => !/^[0-9a-f]{1,4}$/i.test(group))) return false;
  // Two words joined by :: are code, an address has digits.
  return tail === undefined
    ? groups.length === 8
    : groups.length >= 2 && groups.length < 8 && /\d/.test(text);
}
