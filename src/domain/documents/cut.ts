import type { Span } from '../text/sentences.ts';
import { strengths, type Atom } from './atoms.ts';

/** Sizes of sections in UTF-16 units. */
export interface Sizes {
  readonly min: number;
  readonly max: number;
}

/** Below it, something loose joins its neighbour. */
export const minSection = 200;
/** No section is longer, unless a single sentence, row or line is. */
export const maxSection = 8_000;

/**
 * Joins atoms to spans of `min` to `max` units. A span ends at the strongest boundary in that range; among equally strong ones the
 * text after the boundary decides, not its place, so that an insertion moves the boundaries near it and leaves the others where they
 * were. Where no boundary is in the range, a span may be as short as 200 units or as long as 8,000. Linear in the number of atoms.
 */
export function cut(text: string, atoms: readonly Atom[], sizes: Sizes): Span[] {
  const spans: Span[] = [];
  for (let from = 0; from < atoms.length;) {
    const next = nextStart(text, atoms, from, sizes);
    spans.push({ start: atoms[from]!.start, end: atoms[next - 1]!.end });
    from = next;
  }
  return spans;
}

/** Index of the atom that the next span begins with. */
function nextStart(text: string, atoms: readonly Atom[], from: number, { min, max }: Sizes): number {
  const { start } = atoms[from]!;
  // What would remain is too short to stand alone.
  if (atoms.at(-1)!.end - start <= max + minSection) return atoms.length;
  let best: { readonly at: number; readonly strength: number; readonly order: number } | undefined;
  let [short, forced]: [number | undefined, number] = [undefined, from + 1];
  for (let at = from + 1; at < atoms.length; at++) {
    const size = atoms[at - 1]!.end - start;
    if (size > max && (best ?? short) !== undefined) break;
    if (size > maxSection) return forced;
    forced = at;
    const { strength } = atoms[at]!;
    if (strength === strengths.glued) continue;
    if (size > max) return at;
    if (size < min) {
      if (size >= minSection) short = at;
      continue;
    }
    const order = orderOf(text, atoms[at]!);
    if (!best || strength > best.strength || (strength === best.strength && order < best.order))
      best = { at, strength, order };
  }
  if (best) return best.at;
  if (short !== undefined) return short;
  return atoms.at(-1)!.end - start <= maxSection ? atoms.length : forced;
}

/** Units of an atom that its order depends on. */
const ordered = 64;

/** A number that depends on the beginning of the atom alone (FNV-1a). */
function orderOf(text: string, { start, end }: Span): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < Math.min(end, start + ordered); at++)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
