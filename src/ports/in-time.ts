/** What `work` comes to, or an error, `timedOut` where it is given, where it has not ended within `ms`; it goes on, and nobody waits for it. */
export async function inTime<T>(
  ms: number,
  work: () => Promise<T>,
  timedOut: () => Error = () => new Error(`no answer within ${ms} ms`),
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timedOut()), ms);
  });
  try {
    return await Promise.race([work(), silence]);
  } finally {
    clearTimeout(timer);
  }
}
