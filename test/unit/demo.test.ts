import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Stratalog } from '../../packages/client/src/index.ts';
import type { CorpusQuestion } from '../../src/cli/demo/corpus-questions.ts';
import { Narrator } from '../../src/cli/demo/narrator.ts';
import { askUntilDecided, type Progress } from '../../src/cli/demo/simulated-agents.ts';
import { wrapped } from '../../src/cli/demo/wrap.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('[J1] texts of the demo', () => {
  it('are broken at spaces, with every word of the text', () => {
    const text =
      'One memory, whole: 1,147 characters.\n- a list\n\nhttps://example.com/a/path/that/is/long end';
    expect(wrapped(text, 20)).toEqual([
      'One memory, whole:',
      '1,147 characters.',
      '- a list',
      '',
      'https://example.com/a/path/that/is/long',
      'end',
    ]);
    expect(wrapped('', 20)).toEqual(['']);
    expect(wrapped('a\u001b[31mb', 20)).toEqual(['a\ufffd[31mb']);
  });

  it.each([[undefined], [40], [300]])('fit a terminal of %s columns', (columns) => {
    const lines: string[] = [];
    vi.spyOn(console, 'log').mockImplementation((line: string) => lines.push(line));
    const narrator = new Narrator(true, columns);
    const content = 'word '.repeat(200).trim();
    narrator.quote(content);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns === 40 ? 60 : 100);
    expect(lines.join(' ').replaceAll(/[│ ]+/g, ' ').trim()).toBe(content);
  });

  it('are left out for programs', () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    new Narrator(false).chapter('title', 'what');
    expect(log).not.toHaveBeenCalled();
  });
});

describe('[C7] the agents of the demo', () => {
  const questions = Array.from({ length: 400 }, (_, index): CorpusQuestion => ({
    text: `question ${index}`,
    subjects: [new Set(['a'])],
    least: 1,
  }));

  /** Answers in 10 ms. `outcomes` counts the posted outcomes. */
  function server() {
    const state = { outcomes: 0 };
    const later = <T>(value: T) => new Promise<T>((resolve) => setTimeout(resolve, 10, value));
    const client = {
      search: () => later({ searchId: 's', results: [{ memory: { id: 'm', externalId: 'a' } }] }),
      outcome: () => later(state.outcomes++),
    } as unknown as Stratalog;
    return { client, state };
  }

  async function asked(slowness: number, decidedAt: number) {
    vi.useFakeTimers();
    const { client, state } = server();
    let ahead = 0;
    // The server counts an outcome in 5 ms times `slowness`.
    const progress = async (): Promise<Progress> => {
      const counted = Math.min(state.outcomes, Math.floor(Date.now() / (5 * slowness)));
      ahead = Math.max(ahead, state.outcomes - counted);
      return { counted, isDecided: counted >= decidedAt };
    };
    vi.setSystemTime(0);
    const asking = askUntilDecided(client, questions, progress, () => {});
    await vi.runAllTimersAsync();
    return { count: (await asking).length, ahead };
  }

  it('ask until there is a decision, and as much on a slow machine as on a fast one', async () => {
    const [fast, slow] = [await asked(1, 150), await asked(100, 150)];
    expect(fast.count).toBeGreaterThanOrEqual(150);
    expect(fast.count).toBeLessThan(400);
    expect(slow.count).toBeGreaterThanOrEqual(150);
    expect(slow.count).toBeLessThan(200);
    expect(slow.ahead).toBeLessThan(40);
  });

  it('end without a decision when no question is left', async () => {
    expect((await asked(1, Infinity)).count).toBe(400);
  });
});
