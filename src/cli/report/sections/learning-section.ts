import type { Estimate, Policies, PolicyEvaluation } from '../../../../packages/client/src/index.ts';
import { barChart } from '../bar-chart.ts';
import { facts, heading, note, part, section, table } from '../blocks.ts';
import { html, type Html, type HtmlValue } from '../html.ts';
import { meanOf, rewardsIn } from '../rewards.ts';
import type { ExperienceFigures, ReportData } from '../report-data.ts';
import { counted, number, percent, plural, signed, time } from '../texts.ts';
import { eventList } from './event-list.ts';

/** Whether what the server learns helps. */
export function learningSection(data: ReportData): Html {
  const { range, policies, evaluation, experience } = data;
  return section(
    'learning',
    'Learning',
    'Does what the server has learned give better answers than without it?',
    part('the policies', policies, (answer) => [
      heading('Routes of questions: better than without?', 'written'),
      verdictOf(answer),
      part('the evaluation of the version in force', evaluation, sinceThen),
      rewards(answer, data),
      heading('Versions in the range', 'range'),
      versions(answer, data),
    ]),
    eventList('Comparisons and changes of policies', 'learning', data),
    heading('Outcomes and feedback', 'range'),
    facts([
      ['Outcomes of searches', counted(range.values['OutcomeObserved'])],
      ['Feedback on memories', counted(range.values['FeedbackGiven'])],
      ['Attempts recorded', counted(range.values['ReasoningTraceRecorded'])],
    ]),
    part('the figures of experience', experience, (answer) => experienceText(answer, data)),
  );
}

/** The version in force, as it was when it was compared last. */
function verdictOf({ inForce, items }: Policies): HtmlValue {
  const { figures, comparedWith } = items.find(({ version }) => version === inForce) ?? {};
  if (!figures) return note(`${inForce} is in force. It was not compared with another version yet.`);
  return html`<p>
    ${inForce} is in force. Compared with ${comparedWith ?? 'another version'} last:
    ${gain(figures.doublyRobust.value, figures.interval)}
  </p>`;
}

const sinceThen = ({ version, comparedWith, figures, reason }: PolicyEvaluation): HtmlValue =>
  html`<p>
    Since it chooses, ${version} instead of ${comparedWith}:
    ${gain(figures.doublyRobust.value, figures.interval)} (${reason};
    ${plural(figures.decisions, 'decision')})
  </p>`;

/** A gain in units of the reward, with its interval of 95 % and what it says. */
function gain(value: number, interval: readonly number[] | undefined): Html {
  const [low, high] = interval ?? [];
  if (low === undefined || high === undefined)
    return html`<span class="tag">not proven</span> ${signed(value)}; too little evidence for an interval`;
  const [name, tone] = low > 0 ? ['better', 'good'] : high < 0 ? ['worse', 'bad'] : ['not proven', ''];
  return html`<span class="tag ${tone}">${name}</span> ${signed(value)}, interval of 95 % from ${signed(low)}
    to ${signed(high)}`;
}

function rewards({ items }: Policies, { range, from, to }: ReportData): HtmlValue {
  const { periods, decisions } = rewardsIn(items, { from, to }, range);
  return [
    heading(`Mean reward by ${range.unit === 'hour' ? 'day' : range.unit}`, 'range'),
    decisions === 0
      ? note('No question of the range has a known outcome among the latest 10,000 decisions.')
      : [
          barChart({
            label: 'Mean reward of questions, from −1 to 1',
            bars: periods.map(({ name, reward }) => ({ name, value: reward })),
            textOf: (value) => String(Math.round(value * 100) / 100),
            min: -1,
            max: 1,
          }),
          note(
            `${plural(decisions, 'question')} with a known outcome, of the latest 10,000 decisions of the tenant. Different versions choose for different questions, so the rewards do not say which version is better: the estimated gains do.`,
          ),
        ],
  ];
}

function versions({ items }: Policies, { from, to }: ReportData): HtmlValue {
  const isIn = (day: string) => day >= from.slice(0, 10) && `${day}T00:00:00.000Z` < to;
  const rows = items
    .map((one) => ({ ...one, days: one.observed?.days.filter(({ day }) => isIn(day)) ?? [] }))
    .filter(
      ({ days, learnedAt }) =>
        days.length > 0 || (learnedAt !== undefined && learnedAt >= from && learnedAt < to),
    );
  return table(
    [
      { name: 'Version', cell: ({ version }) => version },
      { name: 'State now', cell: ({ state }) => state },
      {
        name: 'Learned (UTC)',
        isTime: true,
        cell: ({ learnedAt }) => learnedAt !== undefined && time(learnedAt),
      },
      {
        name: 'Questions',
        isNumber: true,
        cell: ({ days }) => number(days.reduce((sum, { decisions }) => sum + decisions, 0)),
      },
      { name: 'Mean reward', isNumber: true, cell: ({ days }) => days.length > 0 && signed(meanOf(days)) },
      {
        name: 'Gain when compared last',
        cell: ({ figures, comparedWith }) =>
          figures && [
            gain(figures.doublyRobust.value, figures.interval),
            comparedWith !== undefined && ` (with ${comparedWith})`,
          ],
      },
    ],
    rows,
    'No version was learned or chose in the range.',
  );
}

function experienceText({ settings, total, days }: ExperienceFigures, { from, to }: ReportData): HtmlValue {
  const inRange = days.filter(({ day }) => day >= from.slice(0, 10) && `${day}T00:00:00.000Z` < to);
  const sum = (group: 'with' | 'without', field: 'searches' | 'successes' | 'partial' | 'failures') =>
    inRange.reduce((all, day) => all + day[group][field], 0);
  const row = (group: 'with' | 'without') => ({
    group: `${group} experience`,
    searches: sum(group, 'searches'),
    successes: sum(group, 'successes'),
    partial: sum(group, 'partial'),
    failures: sum(group, 'failures'),
  });
  return [
    heading('Searches with experience', 'range'),
    table(
      [
        { name: 'Searches', cell: ({ group }) => group },
        { name: 'All', isNumber: true, cell: ({ searches }) => number(searches) },
        { name: 'Succeeded', isNumber: true, cell: ({ successes }) => number(successes) },
        { name: 'In part', isNumber: true, cell: ({ partial }) => number(partial) },
        { name: 'Failed', isNumber: true, cell: ({ failures }) => number(failures) },
      ],
      [row('with'), row('without')],
    ),
    html`<p>
      Over all time: ${differenceText(total.difference)} Experience is
      ${settings.enabled ? `applied to ${percent(settings.share)} of the sessions` : 'off'}.
    </p>`,
  ];
}

function differenceText(difference: Estimate | undefined): HtmlValue {
  if (!difference) return 'nothing to compare with yet.';
  const { value, low, high } = difference;
  return [gain(value, [low, high]), ' of the share of searches that succeed.'];
}
