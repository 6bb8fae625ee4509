import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { withStaleRead, type Operation } from './history.ts';

const checker = path.resolve('bench/linearizability');

/** The verdict of porcupine. */
export interface Linearizability {
  readonly operations: number;
  readonly unknown: number;
  readonly memories: number;
  /** Memories whose history is impossible for one that changes at one instant per operation. */
  readonly illegal: readonly string[];
  readonly undecided: readonly string[];
}

/** The verdict, and whether the checker finds a stale read that was put into the history. */
export type Checked =
  (Linearizability & { readonly findsStaleRead: boolean | undefined }) | { readonly unavailable: string };

/** Has a history checked by the Go program in `bench/linearizability`. */
export async function checkLinearizability(history: readonly Operation[], picture: string): Promise<Checked> {
  const verdict = await runChecker(history, ['-visualize', picture]);
  if ('unavailable' in verdict) return verdict;
  const stale = withStaleRead(history);
  const control = stale && (await runChecker(stale));
  if (control && 'unavailable' in control) return control;
  return { ...verdict, findsStaleRead: control && control.illegal.length > 0 };
}

export async function runChecker(
  history: readonly Operation[],
  args: readonly string[] = [],
): Promise<Linearizability | { readonly unavailable: string }> {
  const child = spawn('go', ['run', '.', ...args], { cwd: checker, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => undefined);
  child.stdin.end(history.map((operation) => `${JSON.stringify(operation)}\n`).join(''));
  try {
    const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    if (out !== '') return JSON.parse(out) as Linearizability;
    return { unavailable: `the checker could not be built or run: ${errors.trim()}` };
  } catch (error) {
    const { message } = error as Error;
    return { unavailable: `Go cannot be started (${message}); install it from https://go.dev/dl` };
  }
}
