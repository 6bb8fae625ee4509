import type { ExperienceGroup } from '@stratalog/client';
import type { AnswerOf } from '../../app/asks.ts';
import { useSession } from '../../app/session.tsx';
import { useAsk } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { rounded } from '../../ui/rounded.ts';
import { Chart } from '../../ui/chart.tsx';
import { Panel } from '../../ui/page.tsx';
import { Facts, Table } from '../../ui/table.tsx';
import { ExperienceForm } from './experience-form.tsx';
import { Interval } from './interval.tsx';
import { gainText, pointsText } from './verdicts.ts';

type ExperienceAnswer = AnswerOf<'admin.experience.get'>;

const refreshMs = 10_000;

/** How searches with experience end, beside those without it, and for which sessions it is applied. */
export function Experience() {
  const experience = useAsk('admin.experience.get', [], { everyMs: refreshMs });
  return (
    <Answer of={experience} what="the experience">
      {(answer) => (
        <div class="stack">
          <Compared experience={answer} />
          <Settings settings={answer.settings} />
        </div>
      )}
    </Answer>
  );
}

const percentText = (value: number): string => `${Math.round(value * 100)} %`;

function Compared({ experience: { total, days } }: { readonly experience: ExperienceAnswer }) {
  const groups = [
    ['with experience', total.with],
    ['without', total.without],
  ] as const;
  const oldestFirst = days.toReversed();
  const rates = (group: 'with' | 'without') =>
    oldestFirst.map((day) => day[group].successRate?.value ?? null);
  const count = (part: keyof ExperienceGroup) => (row: (typeof groups)[number]) => {
    const value = row[1][part];
    return typeof value === 'number' ? value.toLocaleString() : '';
  };
  return (
    <Panel title="With and without experience" note="searches by POST /v1/reasoning/search">
      {total.difference ? (
        <Interval gain={total.difference} label="Difference of the success rates" textOf={pointsText} />
      ) : (
        <p class="muted">
          The difference needs searches with a known outcome in both groups. Apply experience to a share of
          the sessions, such as half, to get both.
        </p>
      )}
      <Table
        label="Outcomes with and without experience"
        rows={groups}
        keyOf={([name]) => name}
        columns={[
          { name: 'Searches', cell: ([name]) => name },
          { name: 'Number', isNumber: true, cell: count('searches') },
          { name: 'Successes', isNumber: true, cell: count('successes') },
          { name: 'In part', isNumber: true, cell: count('partial') },
          { name: 'Failures', isNumber: true, cell: count('failures') },
          {
            name: 'Success rate, 95 %',
            isNumber: true,
            cell: ([, { successRate }]) => successRate && gainText(successRate, percentText),
          },
          {
            name: 'Searches for a success',
            isNumber: true,
            cell: ([, { searchesPerSuccess }]) => searchesPerSuccess && gainText(searchesPerSuccess, rounded),
          },
        ]}
      />
      {days.length > 1 && (
        <Chart
          label="Success rate by day, with and without experience"
          x={oldestFirst.map(({ day }) => Date.parse(`${day}T00:00:00Z`) / 1_000)}
          series={[
            { name: 'with experience', values: rates('with') },
            { name: 'without', values: rates('without') },
          ]}
        />
      )}
    </Panel>
  );
}

function Settings({ settings }: { readonly settings: ExperienceAnswer['settings'] }) {
  const { may } = useSession();
  return (
    <Panel title="Settings">
      {may('configureExperience') ? (
        <ExperienceForm key={JSON.stringify(settings)} settings={settings} />
      ) : (
        <Facts
          facts={[
            ['applied', settings.enabled ? 'yes' : 'no'],
            ['share of the sessions', percentText(settings.share)],
            ['tries other parameters', settings.exploration ? 'yes' : 'no'],
          ]}
        />
      )}
    </Panel>
  );
}
