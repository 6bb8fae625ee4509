import { BrowserCannot } from './bytes.ts';
import { Malformed, type Checkpoint } from './note.ts';

/** One thing that was checked; `unknown` if it could not be checked. */
export interface Check {
  readonly name: string;
  readonly result: 'good' | 'bad' | 'unknown';
  readonly detail: string;
}

/** The leaf of an event: what the signed log says about it. */
export interface Leaf {
  readonly hash: string;
  readonly id: string;
  readonly position: number;
  readonly revision: number;
  readonly stream: string;
  readonly time: string;
  readonly type: string;
}

/** What was found, and all checks that were made. It is proven if there are checks and all of them hold. */
export interface Verdict {
  readonly checks: readonly Check[];
  readonly head?: Checkpoint;
  readonly leaf?: Leaf;
  readonly receipt?: Readonly<Record<string, unknown>>;
}

export const isProven = ({ checks }: Verdict): boolean =>
  checks.length > 0 && checks.every(({ result }) => result === 'good');

/** Collects checks. An error that stops them becomes a check of its own. */
export async function verdictOf(
  make: (checks: Check[]) => Promise<Omit<Verdict, 'checks'>>,
): Promise<Verdict> {
  const checks: Check[] = [];
  try {
    return { checks, ...(await make(checks)) };
  } catch (error) {
    const detail = (error as Error).message;
    const isBad = error instanceof Malformed || error instanceof SyntaxError || error instanceof TypeError;
    if (error instanceof BrowserCannot) checks.push({ name: 'This browser', result: 'unknown', detail });
    else checks.push({ name: isBad ? 'Form' : 'Verification', result: isBad ? 'bad' : 'unknown', detail });
    return { checks };
  }
}

/** A JSON object. Throws `Malformed` or a `SyntaxError`. */
export function jsonOf(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Malformed('This is not a JSON object.');
  return value as Record<string, unknown>;
}

/** A value as JSON with sorted keys, for comparing. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );

export const count = (value: number): string => value.toLocaleString();
export const good = (detail: string) => ({ result: 'good', detail }) as const;
export const bad = (detail: string) => ({ result: 'bad', detail }) as const;
