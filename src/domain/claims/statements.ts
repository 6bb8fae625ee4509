import { isSupported } from './claims.ts';

/** A sentence that a language model wrote, with the numbers of the texts that it is from, counted from 1. */
export interface Statement {
  readonly text: string;
  readonly sources: readonly number[];
}

/** A longer statement is none. In UTF-16 units. */
const longest = 1_000;
const marks = /\s*\[[\d,\s]+\]/g;

/** The statement on one line, without marks of its own, which would be taken for ours. */
export function cleaned({ text, sources }: Statement): Statement {
  return {
    text: text.replaceAll(marks, '').replaceAll(/\s+/g, ' ').trim(),
    sources: [...new Set(sources)],
  };
}

/** Whether a statement names texts that the model was shown, and these support it. `shown` has the terms of each text. */
export function isBacked({ text, sources }: Statement, shown: readonly ReadonlySet<string>[]): boolean {
  const cited = sources.map((number) => shown[number - 1]);
  if (text === '' || text.length > longest || cited.length === 0) return false;
  return cited.every((terms) => terms !== undefined) && isSupported(text, cited);
}

/** The statements without repetitions of a text. */
export function distinct(statements: readonly Statement[]): Statement[] {
  return [
    ...new Map(statements.toReversed().map((statement) => [statement.text, statement])).values(),
  ].toReversed();
}

/** Numbers the sources in the order in which they are first cited. */
export class Marks {
  readonly cited: number[] = [];

  /** The marks of these sources, such as `[1][2]`. */
  of(sources: readonly number[]): string {
    for (const source of sources) if (!this.cited.includes(source)) this.cited.push(source);
    return sources.map((source) => `[${this.cited.indexOf(source) + 1}]`).join('');
  }
}
