import { heading, note, table, type Column } from '../blocks.ts';
import { html, type HtmlValue } from '../html.ts';
import { typesOfList, type ListedEvent, type ListName } from '../range-counter.ts';
import type { ReportData } from '../report-data.ts';
import { number, time } from '../texts.ts';

/** A list of the range's events; of a long one the first, with the command that lists all. */
export function eventList(
  title: string,
  name: ListName,
  { range, from, to }: Pick<ReportData, 'range' | 'from' | 'to'>,
  further: readonly Column<ListedEvent>[] = [],
): HtmlValue {
  const { count, items } = range.lists[name];
  const types = typesOfList(name);
  const command = `npx stratalog audit events --type ${types.join(' ')} --from ${from} --to ${to}`;
  return [
    heading(count === 0 ? title : `${title}: ${number(count)}`, 'range'),
    table(
      [
        { name: 'When (UTC)', isTime: true, cell: ({ at }) => time(at) },
        ...(types.length > 1 ? [{ name: 'Event', cell: ({ type }: ListedEvent) => type }] : []),
        { name: 'Who', cell: ({ actor }) => actor },
        { name: 'What', cell: ({ detail }) => detail },
        ...further,
      ],
      items,
    ),
    count > items.length &&
      note(`The first ${items.length} of ${number(count)}. All of them: `, html`<code>${command}</code>`),
  ];
}
