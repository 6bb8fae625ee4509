import { appendFile } from 'node:fs/promises';

/** Sends a signed head to where somebody who can change the log cannot reach it. Rejects if it did not arrive. */
export type PublishHead = (note: string) => Promise<void>;

const timeoutMs = 10_000;

/** Posts heads to an http or https address, or appends them to a file; undefined without a target. */
export function headPublisher(target: string | undefined): PublishHead | undefined {
  if (target === undefined) return undefined;
  if (!/^https?:\/\//i.test(target)) return (note) => appendFile(target, `${note}\n`);
  return async (note) => {
    const response = await fetch(target, {
      method: 'POST',
      body: note,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      signal: AbortSignal.timeout(timeoutMs),
    });
    // The address may contain a secret.
    if (!response.ok) throw new Error(`the receiver of signed heads answered ${response.status}`);
  };
}
