import {
  findPersonalData,
  withoutOverlaps,
  type PersonalDatum,
} from '../../domain/personal-data/personal-data.ts';
import type { PersonalDataType } from '../../domain/personal-data/policy.ts';
import { mayHaveToken } from '../../domain/personal-data/secrets.ts';
import { findKnownSecrets } from '../../support/known-secrets.ts';
import { findPhoneNumbers } from '../../support/phone-numbers.ts';
import { TimeSlice } from '../../support/time-slice.ts';

/** A long text is read in pieces, between which other work runs. Each begins with the end of the one before. */
const pieceLength = 8_192;
/** Longer than a private key, so that one of two pieces holds it whole. */
const overlap = 4_096;
/** What a find depends on around it: a number that is cut may look like another one, and words before it say what it is. */
const surroundings = 64;

/** All data of the wanted types in a text, in order and without overlaps. */
export async function personalDataIn(
  text: string,
  wanted: readonly PersonalDataType[],
): Promise<PersonalDatum[]> {
  if (text.length <= pieceLength) return withoutOverlaps(await inPiece(text, wanted));
  const found: PersonalDatum[] = [];
  const slice = new TimeSlice();
  for (let at = 0; at < text.length; at += pieceLength) {
    if (slice.isUsedUp) await slice.yield();
    const from = Math.max(0, at - overlap);
    const to = Math.min(text.length, at + pieceLength);
    const first = from === 0 ? 0 : from + surroundings;
    const last = to === text.length ? to : to - surroundings;
    for (const { type, ...place } of await inPiece(text.slice(from, to), wanted)) {
      const start = place.start + from;
      const end = place.end + from;
      if (start >= first && end <= last) found.push({ type, start, end });
    }
  }
  return withoutOverlaps(found);
}

async function inPiece(text: string, wanted: readonly PersonalDataType[]): Promise<PersonalDatum[]> {
  const found = findPersonalData(text, wanted);
  if (wanted.includes('phone'))
    for (const place of await findPhoneNumbers(text)) found.push({ type: 'phone', ...place });
  if (wanted.includes('secret') && mayHaveToken(text))
    for (const place of await findKnownSecrets(text)) found.push({ type: 'secret', ...place });
  return found;
}
