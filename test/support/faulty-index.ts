import type { LexicalIndex, LexicalQuery } from '../../src/ports/lexical-index.ts';

type Method = keyof LexicalIndex;

/** Wraps a lexical index so that a test can make its calls fail, wait or return something else. */
export class FaultyIndex {
  /** Runs before each call. If it throws, the call fails with that error. */
  before: (method: Method, args: readonly unknown[]) => void | Promise<void> = () => {};
  /** Replaces the result of each call. */
  answer: (method: Method, answer: unknown) => unknown = (_, answer) => answer;
  readonly searches: LexicalQuery[] = [];
  readonly index: LexicalIndex;

  constructor(below: LexicalIndex) {
    this.index = new Proxy(below, {
      get: (target, name: Method) => {
        const own = target[name].bind(target) as (...args: unknown[]) => unknown;
        if (name === 'list') return own;
        return async (...args: unknown[]) => {
          if (name === 'search') this.searches.push(args[0] as LexicalQuery);
          await this.before(name, args);
          return this.answer(name, await own(...args));
        };
      },
    });
  }

  mend(): void {
    this.before = () => {};
    this.answer = (_, answer) => answer;
  }
}
