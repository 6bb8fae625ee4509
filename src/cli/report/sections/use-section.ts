import { barChart } from '../bar-chart.ts';
import { cards, heading, note, part, section, table, type Column } from '../blocks.ts';
import { html, type Html } from '../html.ts';
import { periodText } from '../periods.ts';
import type { ReportData } from '../report-data.ts';
import { number, plural } from '../texts.ts';

/** What was stored, changed and asked for, and what is there. */
export function useSection({ range, stats }: ReportData): Html {
  const of = (type: string): number => range.types.find(({ name }) => name === type)?.count ?? 0;
  return section(
    'use',
    'Use',
    'What was stored and asked for, and what does the memory hold?',
    heading('What happened', 'range'),
    cards([
      [
        'memories stored',
        of('MemoryStored'),
        range.quarantined > 0 ? `${number(range.quarantined)} in quarantine` : undefined,
      ],
      ['memories updated', of('MemoryUpdated')],
      ['memories deleted', of('MemoryDeleted')],
      ['memories erased', of('MemoryErased')],
      ['searches', of('SearchPerformed'), `${number(range.emptySearches)} found nothing`],
      ['contexts built', of('ContextAssembled')],
      ['documents received', of('DocumentReceived')],
      ['conversations', of('ConversationRecorded')],
    ]),
    heading(`Events by ${range.unit}`, 'range'),
    range.events === 0
      ? note('Nothing happened in the range.')
      : barChart({
          label: `Events by ${range.unit}`,
          bars: range.periods.map(({ name, count }) => ({ name: periodText(name), value: count })),
          textOf: (value) => number(Math.round(value)),
        }),
    part('what the memory holds', stats, ({ coverage, total, layers, spaces, access }) => [
      heading('Contents', 'written'),
      coverage === 'visible' && note('Only what the key sees, not the whole tenant.'),
      table<Amount>([{ name: 'Layer', cell: ({ layer = 'all' }) => layer }, ...amounts], [...layers, total]),
      spaces.length > 0 &&
        table<Amount>([{ name: 'Space', cell: ({ space = '' }) => space }, ...amounts], spaces),
      note(
        `${plural(access.total, 'access', 'accesses')} to ${plural(access.memories, 'memory', 'memories')} since the log began.`,
      ),
    ]),
    range.events > 0 && [
      heading('Events by type', 'range'),
      html`<div class="columns">
        ${table(
          [
            { name: 'Type', cell: ({ name }) => name },
            { name: 'Events', isNumber: true, cell: ({ count }) => number(count) },
          ],
          range.types,
        )}
      </div>`,
    ],
  );
}

interface Amount {
  readonly layer?: string;
  readonly space?: string;
  readonly active: number;
  readonly archived: number;
  readonly deleted: number;
  readonly bytes: number;
}

const amounts: readonly Column<Amount>[] = [
  { name: 'Active', isNumber: true, cell: ({ active }) => number(active) },
  { name: 'Archived', isNumber: true, cell: ({ archived }) => number(archived) },
  { name: 'Deleted, restorable', isNumber: true, cell: ({ deleted }) => number(deleted) },
  { name: 'Bytes of text', isNumber: true, cell: ({ bytes }) => number(bytes) },
];
