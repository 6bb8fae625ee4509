import type { Policies, PolicyVersion } from '@stratalog/client';
import { useSession } from '../../app/session.tsx';
import { useAt } from '../../app/time-bar.tsx';
import { useAsk } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Badge } from '../../ui/badge.tsx';
import type { Tone } from '../../ui/tone.ts';
import { rounded } from '../../ui/rounded.ts';
import { Panel } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { EvaluationFigures } from './evaluation-figures.tsx';
import { Interval } from './interval.tsx';
import { PolicyChanges } from './policy-changes.tsx';
import { PromoteVersion } from './promote-version.tsx';
import { canPromote, gainOf } from './verdicts.ts';

const states: Readonly<Record<PolicyVersion['state'], readonly [name: string, tone: Tone]>> = {
  'in-force': ['in force', 'good'],
  canary: ['canary: chooses for half', 'accent'],
  candidate: ['candidate', 'accent'],
  learning: ['learned last, the next candidate', 'plain'],
  earlier: ['earlier: a roll-back returns to it', 'plain'],
  superseded: ['superseded', 'plain'],
};

/** How many versions that a later step has replaced are shown; a tenant that learns for months has hundreds. */
const maxSuperseded = 50;

/** The versions of the policy with their estimated gains, newest first, and how they came into force. */
export function Versions() {
  const { may } = useSession();
  const at = useAt();
  const policies = useAsk('admin.policies.list', [{ ...(at !== undefined && { asOf: at }) }]);
  return (
    <div class="stack">
      <Answer of={policies} what="the versions">
        {(answer) => <Current policies={answer} isNow={at === undefined} />}
      </Answer>
      {may('auditEvents') && <PolicyChanges />}
    </div>
  );
}

function Current({ policies, isNow }: { readonly policies: Policies; readonly isNow: boolean }) {
  const newestFirst = policies.items.toReversed();
  const superseded = newestFirst.filter(({ state }) => state === 'superseded');
  return (
    <Panel title="Versions of the policy" note="gain in units of the reward, with its interval of 95 %">
      <ul class="versions">
        {newestFirst
          .filter(({ state }) => state !== 'superseded')
          .map((version) => (
            <li key={version.version}>
              <Version version={version} />
              {isNow && canPromote(version, policies) && <PromoteVersion version={version.version} />}
            </li>
          ))}
      </ul>
      {superseded.length > 0 && (
        <details>
          <summary>
            {superseded.length.toLocaleString()} superseded
            {superseded.length > maxSuperseded && `, of which the newest ${maxSuperseded} are shown`}
          </summary>
          <ul class="versions">
            {superseded.slice(0, maxSuperseded).map((version) => (
              <li key={version.version}>
                <Version version={version} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </Panel>
  );
}

function Version({ version }: { readonly version: PolicyVersion }) {
  const { state, learnedAt, learnedFrom, meanReward, bootstrap, figures, comparedWith, observed } = version;
  const [name, tone] = states[state];
  return (
    <>
      <div class="head">
        <strong>{version.version}</strong>
        <Badge tone={tone}>{name}</Badge>
        {bootstrap && <Badge tone="warn">from synthetic decisions</Badge>}
        <span class="muted">
          {learnedAt !== undefined && (
            <>
              learned <Time at={learnedAt} />
            </>
          )}
          {learnedFrom !== undefined && ` from ${learnedFrom.toLocaleString()} decisions`}
          {meanReward !== undefined && `, mean reward ${rounded(meanReward)}`}
        </span>
      </div>
      {figures ? (
        <>
          <Interval gain={gainOf(figures)} label={`Gain of ${version.version} over ${comparedWith}`} />
          <details>
            <summary>Off-policy evaluation, compared with {comparedWith}</summary>
            <EvaluationFigures figures={figures} />
          </details>
        </>
      ) : (
        <p class="muted">Not compared with another version yet.</p>
      )}
      {observed && <Arms version={version.version} arms={observed.arms} />}
    </>
  );
}

type Arm = NonNullable<PolicyVersion['observed']>['arms'][number];

function Arms({ version, arms }: { readonly version: string; readonly arms: readonly Arm[] }) {
  if (arms.length === 0) return null;
  return (
    <details>
      <summary>Which routes its questions took</summary>
      <Table
        label={`Routes while ${version} was in force`}
        rows={arms}
        keyOf={({ arm }) => arm}
        columns={[
          { name: 'Route', cell: ({ arm }) => arm },
          { name: 'Questions', isNumber: true, cell: ({ decisions }) => decisions.toLocaleString() },
          {
            name: 'Mean probability',
            isNumber: true,
            cell: ({ propensity }) => `${Math.round(propensity * 100)} %`,
          },
          {
            name: 'Answers that were used',
            isNumber: true,
            cell: ({ success }) => (success === undefined ? '' : `${Math.round(success * 100)} %`),
          },
          {
            name: 'Mean reward',
            isNumber: true,
            cell: ({ reward }) => (reward === undefined ? '' : rounded(reward)),
          },
        ]}
      />
      <p class="muted">
        The routes cannot be compared by these figures, because different questions took them.
      </p>
    </details>
  );
}
