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
const overlap = 2_048;

/** All data of the wanted types in a text, in order and without overlaps. */
export async function personalDataIn(
  text: string,
  wanted: readonly PersonalDataType[],
): Promise<PersonalDatum[]> {
  const found: PersonalDatum[] = [];
  const slice = new TimeSlice();
  for (let at = 0; at < text.length; at += pieceLength) {
    if (slice.isUsedUp) await slice.yield();
    const begin = Math.max(0, at - overlap);
    const piece = begin === 0 && text.length <= pieceLength ? text : text.slice(begin, at + pieceLength);
    for (const { type, start, end } of await inPiece(piece, wanted))
      found.push({ type, start: start + begin, end: end + begin });
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
