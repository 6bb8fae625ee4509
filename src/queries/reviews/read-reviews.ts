import { fingerprintOf, readCursor, writeCursor } from '../cursors.ts';
import {
  reviewKinds,
  type ReviewItem,
  type ReviewItems,
  type ReviewKind,
  type ReviewPage,
  type ReviewSource,
} from './review-source.ts';

/** What waits for the caller's reviews, kind by kind. */
export async function readReviews(
  sources: readonly ReviewSource[],
  {
    kinds = reviewKinds,
    cursor,
    limit,
    ...page
  }: Omit<ReviewPage, 'after'> & {
    readonly kinds?: readonly ReviewKind[] | undefined;
    readonly cursor?: string | undefined;
  },
): Promise<ReviewItems & { readonly nextCursor: string | undefined }> {
  const bound = fingerprintOf({ reviewsOf: [...kinds] });
  // Cursors separate their parts by dots; so do ids of items.
  const after = cursor === undefined ? undefined : readCursor(cursor, bound).replaceAll(':', '.');
  const afterKind = after?.split('.')[0];
  const items: ReviewItem[] = [];
  let position = Infinity;
  let isReached = after === undefined;
  for (const source of sources.filter(({ kind }) => kinds.includes(kind))) {
    const isOfCursor = source.kind === afterKind;
    if (!isReached && !isOfCursor) continue;
    isReached = true;
    const wanted = limit + 1 - items.length;
    if (wanted <= 0) break;
    const found = await source.read({ ...page, after: isOfCursor ? after : undefined, limit: wanted });
    items.push(...found.items);
    position = Math.min(position, found.position);
  }
  const shown = items.slice(0, limit);
  const last = items.length > limit ? shown.at(-1) : undefined;
  return { items: shown, position, nextCursor: last && writeCursor(last.id.replaceAll('.', ':'), bound) };
}
