import { html, type Html, type HtmlValue } from './html.ts';
import { isUnreadable, type Part } from './part.ts';
import { number } from './texts.ts';

/** Whether figures are of the range, or of the moment at which the report was written. */
export type When = 'range' | 'written';

const whenTexts: Readonly<Record<When, string>> = { range: 'in the range', written: 'when written' };

/** A heading that says what its figures are of. */
export const heading = (title: string, when: When): Html =>
  html`<h3>${title} <span class="when ${when}">${whenTexts[when]}</span></h3>`;

export const note = (...text: readonly HtmlValue[]): Html => html`<p class="note">${text}</p>`;

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => HtmlValue;
  /** Aligned to the right. */
  readonly isNumber?: boolean;
  /** A time of the format `time`. */
  readonly isTime?: boolean;
  /** Ids and other texts that may be broken anywhere. */
  readonly isCode?: boolean;
}

/** A table, or the note `empty` if there are no rows. */
export function table<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  empty: HtmlValue = 'None.',
): Html {
  if (rows.length === 0) return note(empty);
  const classOf = ({ isNumber, isTime, isCode }: Column<Row>) =>
    isNumber ? 'number' : isTime ? 'time' : isCode ? 'code' : '';
  return html`<table>
    <thead>
      <tr>
        ${columns.map((column) => html`<th class="${classOf(column)}" scope="col">${column.name}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr>
            ${columns.map((column) => html`<td class="${classOf(column)}">${column.cell(row)}</td>`)}
          </tr> `,
      )}
    </tbody>
  </table>`;
}

/** Names with their values, in two columns. */
export function facts(rows: readonly (readonly [name: string, value: HtmlValue])[]): Html {
  const shown = rows.filter(([, value]) => value !== undefined && value !== false);
  return html`<dl>
    ${shown.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

/** Figures that one sees first. */
export function cards(
  figures: readonly (readonly [name: string, value: number | string, note?: string | undefined])[],
): Html {
  return html`<div class="cards">
    ${figures.map(
      ([name, value, what]) =>
        html`<div>
          <strong>${typeof value === 'number' ? number(value) : value}</strong>
          ${name}${what !== undefined && html`<small>${what}</small>`}
        </div>`,
    )}
  </div>`;
}

/** A part of the report, or why it could not be read. */
export function part<Value extends object>(
  what: string,
  value: Part<Value>,
  show: (value: Value) => HtmlValue,
): HtmlValue {
  return isUnreadable(value)
    ? html`<p class="unreadable">
        <strong>Not readable: ${what}.</strong> ${capitalized(value.unreadable)}.
      </p>`
    : show(value);
}

/** A text to keep in a file. Saving it from the page needs no script and no host, because the link has the text in it. */
export function file(name: string, text: string): Html {
  const data = Buffer.from(text).toString('base64');
  return html`<pre>${text}</pre>
    <p class="save"><a download="${name}" href="data:text/plain;base64,${data}">Save as ${name}</a></p>`;
}

export function section(id: string, title: string, question: string, ...content: readonly HtmlValue[]): Html {
  return html`<section id="${id}">
    <h2>${title}</h2>
    <p class="question">${question}</p>
    ${content}
  </section> `;
}

const capitalized = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
