import type { Policies } from '@stratalog/client';
import { useSession } from '../../app/session.tsx';
import { useAsk } from '../../app/use-ask.ts';
import { Badge } from '../../ui/badge.tsx';
import { Trouble } from '../../ui/answer.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Panel } from '../../ui/page.tsx';
import { Candidate } from './candidate.tsx';
import { gainOf, gainText, versionToRollBack } from './verdicts.ts';

/** The commands that change what chooses, each beside its evidence. Those that the role may not give are absent. */
export function Controls({ policies }: { readonly policies: Policies }) {
  const { may } = useSession();
  const mayDecide = ['promotePolicy', 'rollBackPolicy', 'trainPolicy', 'killSwitch'].some(may);
  if (!mayDecide) return null;
  return (
    <Panel title="Decide">
      <div class="grid">
        {may('promotePolicy') && policies.candidate !== policies.inForce && (
          <Candidate version={policies.candidate} />
        )}
        {may('rollBackPolicy') && <RollBack policies={policies} />}
        {may('trainPolicy') && <Train policies={policies} />}
        {may('killSwitch') && <KillSwitch />}
      </div>
    </Panel>
  );
}

function RollBack({ policies }: { readonly policies: Policies }) {
  const version = versionToRollBack(policies);
  if (version === undefined) return null;
  const { figures, comparedWith, observed } = policies.items.find((one) => one.version === version) ?? {};
  return (
    <section class="decision">
      <h3>Roll {version} back</h3>
      <p class="muted">
        {figures
          ? `Its gain over ${comparedWith}: ${gainText(gainOf(figures))}.`
          : 'It was never compared with another version.'}{' '}
        It has chosen for {(observed?.decisions ?? 0).toLocaleString()} questions with a known outcome. The
        server rolls a version back by itself when it is proven to be worse.
      </p>
      <div class="form-actions">
        <Confirm
          name="admin.policies.rollback"
          args={[version]}
          kind="danger"
          label="Roll back"
          title={`Roll ${version} back`}
        >
          <p>
            Within a second the version before {version} chooses the routes of the tenant again. The
            comparison starts anew, with no evidence.
          </p>
        </Confirm>
      </div>
    </section>
  );
}

function Train({ policies: { decisions, items } }: { readonly policies: Policies }) {
  const last = items.filter(({ learnedAt }) => learnedAt !== undefined).at(-1);
  const canBootstrap = decisions === 0 && !items.some(({ bootstrap }) => bootstrap);
  return (
    <section class="decision">
      <h3>Learn now</h3>
      <p class="muted">
        {decisions.toLocaleString()} decisions were learned from
        {last?.learnedFrom !== undefined &&
          `, ${last.learnedFrom.toLocaleString()} of them by the last step (${last.version})`}
        . A step takes 20 finished decisions and happens by itself; what is left waits.
      </p>
      <div class="form-actions">
        <Confirm name="admin.policies.train" args={[{}]} label="Train" title="Learn from finished decisions">
          <p>
            The policy learns from what has finished since its last step. With fewer than 20 decisions nothing
            changes. What it learns decides nothing before it is proven.
          </p>
        </Confirm>
        {canBootstrap && (
          <Confirm
            name="admin.policies.train"
            args={[{ bootstrap: true }]}
            label="Start with synthetic decisions"
            title="Start with synthetic decisions"
          >
            <p>
              24 synthetic decisions give the policy a start. They are marked as such and are never evidence.
            </p>
          </Confirm>
        )}
      </div>
    </section>
  );
}

function KillSwitch() {
  const { may } = useSession();
  const routing = useAsk('admin.routing.get', [{}], { enabled: may('routing') });
  const engaged = routing.answer?.killSwitch;
  return (
    <section class="decision">
      <h3>
        Kill switch{' '}
        {engaged !== undefined && (
          <Badge tone={engaged ? 'danger' : 'good'}>{engaged ? 'engaged' : 'not engaged'}</Badge>
        )}
      </h3>
      <p class="muted">
        For when answers became worse and there is no time to find out why: it stops everything that was
        learned, for all tenants of the server.
      </p>
      {routing.error && <Trouble error={routing.error} onRepeat={routing.repeat} />}
      <div class="form-actions">
        {engaged !== undefined && (
          <Confirm
            name="admin.routing.killSwitch"
            args={[{ engaged: !engaged }]}
            kind={engaged ? 'primary' : 'danger'}
            label={engaged ? 'Release the kill switch' : 'Engage the kill switch'}
            title={engaged ? 'Release the kill switch' : 'Engage the kill switch'}
          >
            <p>
              {engaged
                ? 'Questions of all tenants are routed again by their settings and policies, and values count in the ranking again.'
                : 'Within a second all questions of all tenants take the standard search, and values of memories no longer count in the ranking. Nothing that was learned is lost.'}
            </p>
          </Confirm>
        )}
      </div>
    </section>
  );
}
