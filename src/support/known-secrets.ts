/** Where tokens of known services stand in a text, by the rules of secretlint. It is loaded when it is first needed. */
export async function findKnownSecrets(
  text: string,
): Promise<{ readonly start: number; readonly end: number }[]> {
  const [{ lintSource }, { creator }] = await Promise.all([
    import('@secretlint/core'),
    import('@secretlint/secretlint-rule-preset-recommend'),
  ]);
  const { messages } = await lintSource({
    source: { filePath: 'memory.txt', content: text, contentType: 'text' },
    options: {
      config: { rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: creator, options: {} }] },
    },
  });
  return (
    messages
      .map(({ range: [start, end] }) => ({ start, end }))
      // Of an address with a password, only the password is secret; our own rule finds it.
      .filter(({ start, end }) => !text.slice(start, end).includes('://'))
  );
}
