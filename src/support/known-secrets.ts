/** The rules of secretlint. They are loaded when they are first needed. */
let loading: Promise<Rules> | undefined;

type Rules = Awaited<ReturnType<typeof load>>;

async function load() {
  const [{ lintSource }, { creator }, { secretLintProfiler }] = await Promise.all([
    import('@secretlint/core'),
    import('@secretlint/secretlint-rule-preset-recommend'),
    import('@secretlint/profiler'),
  ]);
  // It keeps every mark of every text for ever, and looks through all of them for each new one.
  secretLintProfiler.mark = () => undefined;
  const rule = { id: '@secretlint/secretlint-rule-preset-recommend', rule: creator, options: {} };
  return { lintSource, config: { rules: [rule] } };
}

/** Where tokens of known services stand in a text. */
export async function findKnownSecrets(
  text: string,
): Promise<{ readonly start: number; readonly end: number }[]> {
  const { lintSource, config } = await (loading ??= load());
  const { messages } = await lintSource({
    source: { filePath: 'memory.txt', content: text, contentType: 'text' },
    options: { config },
  });
  return (
    messages
      .map(({ range: [start, end] }) => ({ start, end }))
      // Of an address with a password, only the password is secret; our own rule finds it.
      .filter(({ start, end }) => !text.slice(start, end).includes('://'))
  );
}
