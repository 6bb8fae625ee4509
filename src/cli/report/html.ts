import { printableLines } from '../output.ts';

/** Markup. Everything else that a template is given becomes text. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

export type HtmlValue = Html | string | number | undefined | false | readonly HtmlValue[];

/** A template for markup: values are escaped, for text as well as for attributes in double quotes. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(parts.reduce((markup, part, index) => `${markup}${markupOf(values[index - 1])}${part}`));
}

function markupOf(value: HtmlValue): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.markup;
  if (typeof value === 'object') return value.map(markupOf).join('');
  return escaped(String(value));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML. Control and bidirectional characters are replaced, so that a name cannot reorder the text around it. */
const escaped = (text: string): string =>
  printableLines(text).replaceAll(/[&<>"']/g, (char) => entities[char]!);
