import type { Policies, PolicyEvaluation } from '@stratalog/client';
import { useSession } from '../../app/session.tsx';
import { useAsk } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Panel } from '../../ui/page.tsx';
import { Controls } from './controls.tsx';
import { Interval } from './interval.tsx';
import { Rewards } from './rewards.tsx';
import { Traffic } from './traffic.tsx';
import { gainOf, pointsText, verdictOf, verdictTones, type Gain } from './verdicts.ts';

const refreshMs = 10_000;

/** Whether each thing that is learned helps, the reward over time, and the commands with their evidence. */
export function Overview() {
  const { may } = useSession();
  const policies = useAsk('admin.policies.list', [{}], { everyMs: refreshMs });
  const inForce = policies.answer?.inForce;
  const evaluation = useAsk('admin.policies.evaluation', [inForce ?? ''], {
    enabled: inForce !== undefined && may('evaluatePolicy'),
  });
  const experience = useAsk('admin.experience.get', [], {
    everyMs: refreshMs,
    enabled: may('experience'),
  });
  const { with: helped, difference } = experience.answer?.total ?? {};
  return (
    <Answer of={policies} what="the policies">
      {(answer) => (
        <div class="stack">
          <div class="grid">
            <Routes policies={answer} evaluation={evaluation.answer} />
            {may('experience') && (
              <Helps
                title="Searches with experience"
                what="share of the searches that succeed, with experience minus without it"
                gain={difference}
                textOf={pointsText}
                missing={
                  helped && helped.searches === 0
                    ? 'No search with experience has an outcome yet: agents use POST /v1/reasoning/search and post outcomes.'
                    : 'Nothing to compare with: apply experience to a share of the sessions, such as half, under Experience.'
                }
              />
            )}
          </div>
          <Rewards items={answer.items} />
          <Traffic policies={answer} />
          <Controls policies={answer} />
        </div>
      )}
    </Answer>
  );
}

/** The version in force: how it did when it was proven, and how it does against the one before it since then. */
function Routes({
  policies: { inForce, items },
  evaluation,
}: {
  readonly policies: Policies;
  readonly evaluation: PolicyEvaluation | undefined;
}) {
  const version = items.find((one) => one.version === inForce);
  const figures = version?.figures;
  return (
    <>
      <Helps
        title={`Routes: ${inForce}`}
        what={`reward of a question, ${inForce} instead of ${version?.comparedWith ?? 'another version'}, when it was compared last`}
        gain={figures && gainOf(figures)}
        missing="It has not been compared with another version yet. That needs questions in sessions, or with posted outcomes."
      />
      {evaluation && version?.figures && (
        <Helps
          title="Since it chooses"
          what={`reward of a question, ${evaluation.version} instead of ${evaluation.comparedWith}; ${evaluation.reason}`}
          gain={gainOf(evaluation.figures)}
          missing=""
        />
      )}
    </>
  );
}

interface HelpsProps {
  readonly title: string;
  readonly what: string;
  readonly gain: Gain | undefined;
  readonly textOf?: (value: number) => string;
  /** Why there is no figure, and what would make one. */
  readonly missing: string;
}

function Helps({ title, what, gain, textOf, missing }: HelpsProps) {
  const verdict = gain && verdictOf(gain);
  const tone = verdict && verdictTones[verdict];
  return (
    <Panel
      title={title}
      note={
        verdict && (
          <Badge {...(tone && { tone })}>{verdict === 'not proven' ? 'not proven yet' : verdict}</Badge>
        )
      }
    >
      {gain ? (
        <>
          <Interval gain={gain} label={what} {...(textOf && { textOf })} />
          <p class="muted">
            {what}
            {gain.low === undefined
              ? '. There is too little evidence for an interval.'
              : ', with its interval of 95 %.'}
          </p>
        </>
      ) : (
        <p class="muted">{missing}</p>
      )}
    </Panel>
  );
}
