import {
  childrenOf,
  classOf,
  type HtmlElement,
  type HtmlNode,
  isElement,
  isHidden,
  isText,
} from './html-dom.ts';

const noLanguage = new Set([
  'none',
  'text',
  'txt',
  'plain',
  'plaintext',
  'nohighlight',
  'default',
  'output',
  'source',
  'code',
]);
/** Deeper elements give their text alone. */
const maxDepth = 200;
const languageClass =
  /(?:^|\s)(?:language|lang|highlight-source|highlight|brush:?|prettyprint lang|code|src)[-: ]\s*([a-z][a-z0-9+#.-]*)/i;

/** The text of a `<pre>` with its white space, without line numbers. */
export function codeTextOf(pre: HtmlElement): string {
  const parts: string[] = [];
  const endLine = (): void => {
    if (parts.length > 0 && !parts.at(-1)?.endsWith('\n')) parts.push('\n');
  };
  const walk = (node: HtmlNode, depth: number): void => {
    for (const child of childrenOf(node)) {
      if (isText(child) && child.textContent !== '') parts.push(child.textContent);
      if (!isElement(child) || isHidden(child)) continue;
      const isLine = /^(?:div|p|tr|li)$/.test(child.localName);
      if (isLine) endLine();
      if (child.localName === 'br') parts.push('\n');
      else if (depth > maxDepth) parts.push(child.textContent);
      else walk(child, depth + 1);
      if (isLine) endLine();
    }
  };
  walk(pre, 0);
  return parts
    .join('')
    .replaceAll('\u00A0', ' ')
    .replaceAll(/\r\n?/g, '\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();
}

/** The language that a class of the code, of what it stands in or around it names. */
export function codeLanguageOf(pre: HtmlElement): string | undefined {
  const code = pre.querySelector('code');
  for (const element of [code, pre, pre.parentElement, pre.parentElement?.parentElement]) {
    if (!element) continue;
    const named =
      element.getAttribute('data-lang') ??
      element.getAttribute('data-language') ??
      languageClass.exec(classOf(element))?.[1];
    const language = named?.toLowerCase();
    if (language !== undefined && language !== '' && !noLanguage.has(language)) return language;
  }
  // Pandoc writes `<pre class="sourceCode python">`.
  const [, pandoc] = /(?:^|\s)sourceCode\s+([a-z][\w+#-]*)/.exec(classOf(pre)) ?? [];
  return pandoc?.toLowerCase();
}

/** Archives of mail and old pages keep the lines of their prose with `<pre>`. */
export function isProse(pre: HtmlElement, text: string): boolean {
  if (pre.querySelector('code,span,samp,kbd') !== null || text.length < 120) return false;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const words = text.match(/\p{L}{2,}/gu)?.length ?? 0;
  const symbols = text.match(/[{}[\]<>=;$|\\@#&*_]/g)?.length ?? 0;
  const aligned = lines.filter((line) => /\S {3,}\S/.test(line)).length;
  return (
    words > 15 && symbols < words / 15 && aligned < lines.length / 10 && /[\p{L}\d][.!?](?:\s|$)/u.test(text)
  );
}
