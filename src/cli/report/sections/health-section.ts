import type { ReadyzAnswer } from '../../../../packages/client/src/index.ts';
import { facts, heading, note, part, section, table } from '../blocks.ts';
import { html, type Html, type HtmlValue } from '../html.ts';
import { readerState, type Reader } from '../reader-state.ts';
import type { ReportData } from '../report-data.ts';
import { number, plural, utc } from '../texts.ts';

/** Whether the server works, and what of it lags or waits. */
export function healthSection({ readiness, parked, proof }: ReportData): Html {
  return section(
    'health',
    'Health',
    'Does the server work, and are its read models current?',
    part('the state of the server', readiness, (answer) => [
      heading('State', 'written'),
      facts([
        ['Status', state(answer.status, answer.status === 'ready')],
        ['Profile', answer.profile],
        ['Roles of the process', answer.roles.join(', ')],
        ['Log', 'head' in answer.log ? `head at position ${number(answer.log.head)}` : logText(answer.log)],
        [
          'Embedding model',
          answer.embedder && [
            answer.embedder.model,
            ' ',
            state(answer.embedder.state, answer.embedder.state === 'up'),
          ],
        ],
        ...Object.entries(answer.backEnds).map(([name, one]): [string, HtmlValue] => [
          `Back end ${name}`,
          [state(one.state, one.state === 'up'), 'version' in one && ` version ${String(one.version)}`],
        ]),
      ]),
    ]),
    heading('Last signed head', 'written'),
    part('the heads of the log', proof.heads, ({ last }) =>
      last
        ? html`<p>${plural(last.size, 'event')}, signed ${utc(last.at)}. See <em>Proof</em>.</p>`
        : note('No head of the log was signed yet.'),
    ),
    part(
      'the read models',
      readiness,
      ({ projections, reactors }) =>
        html`<div class="pair">${readers('Read models', projections)}${readers('Reactors', reactors)}</div>`,
    ),
    part('the names of parked streams', parked, ({ items }) => [
      items.length > 0 && heading('Parked streams', 'written'),
      items.length > 0 &&
        table(
          [
            { name: 'By', cell: ({ by }) => by },
            { name: 'Stream', isCode: true, cell: ({ stream }) => stream },
            { name: 'Event', cell: ({ type }) => type },
          ],
          items,
        ),
    ]),
  );
}

const readers = (title: string, all: readonly Reader[]): Html =>
  html`<div>
    ${heading(title, 'written')}
    ${table(
      [
        { name: 'Name', cell: ({ name }) => name },
        { name: 'State', cell: (one) => state(readerState(one), readerState(one) === 'current') },
        {
          name: 'Lag',
          isNumber: true,
          cell: (one) => 'lag' in one && number(one.lag),
        },
        { name: 'Parked', isNumber: true, cell: (one) => 'parked' in one && number(one.parked) },
      ],
      all,
    )}
  </div>`;

const logText = (log: ReadyzAnswer['log']): string =>
  'error' in log ? log.error : 'state' in log ? log.state : '';

const state = (text: string, isFine: boolean): Html =>
  html`<span class="${isFine ? 'good' : 'bad'}">${text}</span>`;
