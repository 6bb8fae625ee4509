import type { LexicalIndex, LexicalQuery } from '../../src/ports/lexical-index.ts';

type Method = keyof LexicalIndex;

/** A lexical index whose calls fail, wait or answer something else as told. */
export class FaultyIndex {
  /** Asked before each call reaches the index; what it throws is the answer. */
  before: (method: Method, args: readonly unknown[]) => void | Promise<void> = () => {};
  /** Given what the index answers; what it returns is answered. */
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
