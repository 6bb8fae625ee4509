import { heading, note, part, section, table } from '../blocks.ts';
import { html, type Html, type HtmlValue } from '../html.ts';
import type { ActionKind } from '../event-kinds.ts';
import type { ListedEvent } from '../range-counter.ts';
import type { ReportData } from '../report-data.ts';
import { counted, number, plural, utc } from '../texts.ts';
import { eventList } from './event-list.ts';

const maxActors = 50;

const kindNames: readonly (readonly [ActionKind, string])[] = [
  ['wrote', 'Stored, changed'],
  ['deleted', 'Deleted, erased'],
  ['searched', 'Searched'],
  ['rated', 'Rated'],
  ['audited', 'Audited reads'],
  ['administered', 'Administered'],
  ['internal', 'Internal'],
];

/** Who did what, what is gone, and what was decided. */
export function auditSection(data: ReportData): Html {
  const { actors, eventsOfOthers } = data.range;
  const deletionCauses = data.range.values['MemoryDeleted'] ?? [];
  const rest = actors.slice(maxActors);
  const restEvents = rest.reduce((sum, { events }) => sum + events, eventsOfOthers);
  return section(
    'audit',
    'Audit summary',
    'Who did what, what is gone, and who decided it?',
    heading('Actors', 'range'),
    table(
      [
        { name: 'Actor', cell: ({ actor }) => actor },
        ...kindNames.map(([kind, name]) => ({
          name,
          isNumber: true,
          cell: ({ kinds }: (typeof actors)[number]) => (kinds[kind] === 0 ? '–' : number(kinds[kind])),
        })),
        { name: 'Events', isNumber: true, cell: ({ events }) => number(events) },
      ],
      actors.slice(0, maxActors),
    ),
    restEvents > 0 && note(`${plural(restEvents, 'event')} of further actors.`),
    actors.length > 0 &&
      note(
        'Internal: what the program records besides, such as claims of external ids, and what it did by itself.',
      ),
    eventList('Erasures', 'erasures', data, [{ name: 'Receipt', cell: (event) => receiptText(event, data) }]),
    eventList('Deletions', 'deletions', data),
    deletionCauses.length > 0 && note(`Memories deleted: ${counted(deletionCauses)}.`),
    eventList('Documents refused and budgets used up', 'refusals', data),
    note(
      'Requests that were refused because of a missing key or role are not recorded as events; the metrics of the server count them.',
    ),
    eventList('Keys', 'keys', data),
    eventList('Settings', 'settings', data),
    eventList('Read models and log', 'operations', data),
    eventList('Reviews and duplicates', 'reviews', data),
    data.range.quarantined > 0 &&
      note(
        `${plural(data.range.quarantined, 'memory', 'memories')} of the range went into quarantine when stored.`,
      ),
  );
}

function receiptText({ erasureId }: ListedEvent, { receipts }: ReportData): HtmlValue {
  const receipt = erasureId === undefined ? undefined : receipts[erasureId];
  if (erasureId === undefined || !receipt) return '–';
  return [
    html`<code>${erasureId}</code>: `,
    part('the receipt', receipt, ({ state, completedAt, places, pending, signed }) =>
      state === 'complete' && completedAt !== undefined
        ? `complete ${utc(completedAt)}, ${plural(places, 'place')}${signed ? ', signed' : ''}`
        : `running, ${number(places - pending)} of ${plural(places, 'place')} cleared`,
    ),
  ];
}
