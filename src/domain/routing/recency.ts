import { COUNT, countOf } from '../text/periods/words.ts';
import { fold } from '../text/tokens.ts';

const days = { day: 1, week: 7, month: 31, quarter: 92, year: 366 } as const;
const unit = '(day|week|month|quarter|year)s?';

/** Maximum age of an answer that a question's wording allows, in days; undefined if it sets no limit. */
export function maxAgeOf(question: string): number | undefined {
  const text = fold(question);
  const counted = new RegExp(`\\b(?:last|past|previous|within) (${COUNT}) ${unit}\\b`).exec(text);
  if (counted) return countOf(counted[1]!) * days[counted[2] as keyof typeof days];
  // Since the beginning of the previous unit.
  const since = new RegExp(`\\bsince (?:the )?last ${unit}\\b`).exec(text);
  if (since) return 2 * days[since[1] as keyof typeof days];
  const last = new RegExp(`\\b(?:last|past|previous|this) ${unit}\\b`).exec(text);
  if (last) return days[last[1] as keyof typeof days] * (text.includes(`this ${last[1]}`) ? 1 : 2);
  if (/\byesterday\b/.test(text)) return 2;
  return undefined;
}
