import { facts, section } from '../blocks.ts';
import { html, type Html, type HtmlValue } from '../html.ts';
import { isUnreadable } from '../part.ts';
import { readerState } from '../reader-state.ts';
import type { ReportData } from '../report-data.ts';
import { number, plural, usd, utc } from '../texts.ts';

/** A line for each section, so that a reader knows which one to turn to. */
export function glanceSection(data: ReportData): Html {
  return section(
    'glance',
    'At a glance',
    'What does each section say?',
    facts([
      ['Health', healthText(data)],
      ['Use', useText(data)],
      ['Learning', learningText(data)],
      ['Cost', costText(data)],
      ['Audit', auditText(data)],
      ['Proof', proofText(data)],
    ]),
    html`<p class="note">
      Figures marked <span class="when range">in the range</span> are counted from the audit; those marked
      <span class="when written">when written</span> are of ${utc(data.writtenAt)}. The report has names, ids
      and counts, and no contents of memories, questions or reasons: these can be erased, and a copy of a
      report cannot.
    </p>`,
  );
}

const notReadable = 'not readable with this key';

function healthText({ readiness }: ReportData): HtmlValue {
  if (isUnreadable(readiness)) return notReadable;
  const all = [...readiness.projections, ...readiness.reactors];
  const late = all.filter((one) => readerState(one) !== 'current');
  const down = Object.values(readiness.backEnds).filter(({ state }) => state === 'down');
  return [
    tag(readiness.status, readiness.status === 'ready'),
    ` ${late.length === 0 ? 'all read models are current' : `${late.length} of ${all.length} read models and reactors are behind or have parked streams`}`,
    down.length > 0 && `, ${plural(down.length, 'back end')} down`,
  ];
}

function useText({ range: { types, events } }: ReportData): string {
  const of = (type: string): number => types.find(({ name }) => name === type)?.count ?? 0;
  return events === 0
    ? 'nothing happened in the range'
    : `${plural(of('MemoryStored'), 'memory', 'memories')} stored, ${number(of('MemoryUpdated'))} updated, ${number(of('MemoryDeleted'))} deleted, ${plural(of('SearchPerformed'), 'search', 'searches')}`;
}

function learningText({ policies, range }: ReportData): HtmlValue {
  if (isUnreadable(policies)) return notReadable;
  const { inForce, items } = policies;
  const { interval } = items.find(({ version }) => version === inForce)?.figures ?? {};
  const [low = 0, high = 0] = interval ?? [];
  const verdict = low > 0 ? 'better than' : high < 0 ? 'worse than' : 'not proven to be better than';
  const { count } = range.lists.learning;
  return `routes of ${inForce} are in force, ${verdict} those before; ${plural(count, 'comparison or change', 'comparisons or changes')} of policies in the range`;
}

function costText({ range: { spending }, budget }: ReportData): string {
  const spent = usd(spending.reduce((sum, row) => sum + row.usd, 0));
  const others = spending.reduce((sum, row) => sum + (row.charged ? 0 : row.requests), 0);
  const charged = `${spent} spent in the range${others > 0 ? `, and ${plural(others, 'call')} of models that are not charged` : ''}`;
  return isUnreadable(budget) || !budget.exhausted ? charged : `${charged}; the budget is used up`;
}

function auditText({ range: { actors, eventsOfOthers, lists } }: ReportData): string {
  const more = eventsOfOthers > 0 ? 'more than ' : '';
  return `${more}${plural(actors.length, 'actor')}; ${plural(lists.deletions.count, 'deletion')}, ${plural(lists.erasures.count, 'erasure')}, ${plural(lists.keys.count, 'change')} of keys, ${plural(lists.settings.count, 'change')} of settings, ${plural(lists.reviews.count, 'review')}`;
}

function proofText({ proof: { verification, last }, range }: ReportData): HtmlValue {
  const covered =
    range.events === 0
      ? 'nothing of the range to prove'
      : last && !isUnreadable(last) && last.verified
        ? 'the range is in the signed log'
        : 'the range is not proved to be in the signed log';
  if (isUnreadable(verification)) return `the log was not verified; ${covered}`;
  const isSound = verification.state === 'sound';
  return [tag(isSound ? 'sound' : 'not sound', isSound), ` the whole log was verified; ${covered}`];
}

const tag = (text: string, isFine: boolean): Html =>
  html`<span class="tag ${isFine ? 'good' : 'bad'}">${text}</span>`;
