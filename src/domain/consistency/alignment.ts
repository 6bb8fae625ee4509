import type { Token } from './short-texts.ts';

/** A place where two short texts differ: the tokens of each between two shared tokens. */
export interface Gap {
  readonly left: readonly Token[];
  readonly right: readonly Token[];
  /** All shared tokens before the gap. */
  readonly before: readonly Token[];
}

export interface Alignment {
  readonly shared: readonly Token[];
  readonly gaps: readonly Gap[];
}

/** Aligns two short texts by their longest common subsequence, compared by token key. Time and memory are quadratic in their lengths. */
export function align(left: readonly Token[], right: readonly Token[]): Alignment {
  const width = right.length + 1;
  const lengths = new Uint16Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i--)
    for (let j = right.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        left[i]!.key === right[j]!.key
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
  const shared: Token[] = [];
  const gaps: Gap[] = [];
  let open: { left: Token[]; right: Token[] } = { left: [], right: [] };
  const close = () => {
    if (open.left.length + open.right.length > 0) gaps.push({ ...open, before: [...shared] });
    open = { left: [], right: [] };
  };
  let [i, j] = [0, 0];
  while (i < left.length && j < right.length) {
    if (left[i]!.key === right[j]!.key) {
      close();
      shared.push(left[i]!);
      i++;
      j++;
    } else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) open.left.push(left[i++]!);
    else open.right.push(right[j++]!);
  }
  open.left.push(...left.slice(i));
  open.right.push(...right.slice(j));
  close();
  return { shared, gaps };
}
