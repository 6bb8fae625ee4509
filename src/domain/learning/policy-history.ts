import type { Figures, RoutePolicyEvent } from './policy-events.ts';
import { rulePolicy, type ArmWeights, type RoutePolicy } from './route-policy.ts';
import { afterRejection, untrained, type TrainerState } from './trainer.ts';

/** The policy that a trainer starts from: what its weights are added to. */
export interface Base {
  readonly version: string;
  readonly weights: ArmWeights;
}

/** A version of the policy, with its origin and figures. */
export interface VersionRecord {
  readonly policy: RoutePolicy;
  /** When it was learned, or first promoted. */
  readonly at: string;
  /** Number of decisions that its last step learned from, and their mean reward; undefined if no step made the version. */
  readonly learnedFrom?: number | undefined;
  readonly meanReward?: number | undefined;
  readonly bootstrap: boolean;
  /** The figures of its last comparison. */
  readonly figures?: Figures | undefined;
  /** The version that the figures compare it with. */
  readonly comparedWith?: string | undefined;
}

/** Fold of a stream `policy-<tenant>.route`. Bounded, plain JSON. */
export interface PolicyHistory {
  /** Revision of the last event that was folded; −1 before the first. */
  readonly revision: number;
  readonly trainer: TrainerState;
  /** The last step. The next one must wait until its decisions are marked as consumed. */
  readonly lastStep: { readonly revision: number; readonly position: number } | undefined;
  /** The policy of the last step; undefined before it. */
  readonly learned: RoutePolicy | undefined;
  /** The policy with all traffic, except for what a canary takes. */
  readonly incumbent: RoutePolicy;
  readonly canary: RoutePolicy | undefined;
  /** Policies that had all traffic before the incumbent, the latest last. A roll-back returns to it. */
  readonly earlier: readonly RoutePolicy[];
  /** Looks at the evidence since traffic last changed. */
  readonly looks: number;
  /** Whether a base was among the candidates of these looks. */
  readonly lookedAtBase: boolean;
  /** The base that was rejected last, which is not compared again; undefined if none was rejected. */
  readonly rejectedBase?: string | undefined;
  /** Position from which decisions count as evidence: when traffic last changed. */
  readonly since: number;
  /** The latest versions, in the order in which they were learned. */
  readonly versions: readonly VersionRecord[];
}

export const emptyHistory: PolicyHistory = {
  revision: -1,
  trainer: untrained,
  lastStep: undefined,
  learned: undefined,
  incumbent: rulePolicy,
  canary: undefined,
  earlier: [],
  looks: 0,
  lookedAtBase: false,
  since: 0,
  versions: [],
};

/** After each change of traffic, a new comparison begins. */
const noEvidence = { looks: 0, lookedAtBase: false } as const;

const keptVersions = 50;
const keptEarlier = 10;

/** An event with its place in the log. */
export interface RecordedPolicyEvent {
  readonly event: RoutePolicyEvent;
  readonly revision: number;
  readonly position: number;
  readonly time: Date;
}

/** Applies an event. Idempotent: events that the history already has are skipped. */
export function evolve(history: PolicyHistory, recorded: RecordedPolicyEvent): PolicyHistory {
  const { event, revision, position, time } = recorded;
  if (revision <= history.revision) return history;
  const at = time.toISOString();
  switch (event.type) {
    case 'PolicyUpdated': {
      const { version, base, state, consumed, bootstrap } = event.data;
      const policy = policyOf(version, base.weights, state);
      const meanReward = consumed.reduce((sum, { reward }) => sum + reward, 0) / consumed.length;
      const record = { policy, at, learnedFrom: consumed.length, meanReward, bootstrap };
      return {
        ...history,
        revision,
        trainer: state,
        lastStep: { revision, position },
        learned: policy,
        versions: withRecord(history, record),
      };
    }
    case 'PolicyCompared': {
      const { version, incumbent, verdict, looks, figures } = event.data;
      const versions = withFigures(history.versions, version, figures, incumbent);
      const isBase = version !== history.learned?.version;
      const lookedAtBase = history.lookedAtBase || isBase;
      const compared = { ...history, revision, looks, lookedAtBase, versions };
      if (verdict !== 'reject') return compared;
      if (isBase) return { ...compared, rejectedBase: version };
      return { ...compared, trainer: afterRejection(history.trainer), learned: undefined };
    }
    case 'PolicyPromoted': {
      const { policy, share, figures } = event.data;
      const isKnown = history.versions.some((known) => known.policy.version === policy.version);
      const records = isKnown ? history.versions : withRecord(history, { policy, at, bootstrap: false });
      const versions = withFigures(records, policy.version, figures, history.incumbent.version);
      const changed = { ...history, ...noEvidence, revision, since: position, versions };
      if (share === 'canary') return { ...changed, canary: policy };
      const earlier = [...history.earlier, history.incumbent].slice(-keptEarlier);
      return { ...changed, incumbent: policy, canary: undefined, earlier };
    }
    case 'PolicyRolledBack': {
      const { version, to, figures } = event.data;
      const versions = withFigures(history.versions, version, figures, to);
      const changed = { ...history, ...noEvidence, revision, canary: undefined, since: position, versions };
      if (version === history.canary?.version || version !== history.incumbent.version) return changed;
      return {
        ...changed,
        incumbent: history.earlier.at(-1) ?? rulePolicy,
        earlier: history.earlier.slice(0, -1),
      };
    }
  }
}

/** The policy of a step. */
export function policyOf(
  version: string,
  base: ArmWeights,
  { weights, decisions }: TrainerState,
): RoutePolicy {
  return { version, base, tenant: weights, decisions };
}

/** Adds a record, and drops the oldest versions except those that have traffic or could get it back by a roll-back. */
function withRecord(history: PolicyHistory, record: VersionRecord): readonly VersionRecord[] {
  const { incumbent, canary, earlier } = history;
  const needed = new Set([incumbent, ...(canary ? [canary] : []), ...earlier].map(({ version }) => version));
  const versions = [...history.versions, record];
  const spare = versions.length - keptVersions;
  return versions.filter(({ policy }, index) => index >= spare || needed.has(policy.version));
}

function withFigures(
  versions: readonly VersionRecord[],
  version: string,
  figures: Figures | undefined,
  comparedWith: string,
): readonly VersionRecord[] {
  if (!figures) return versions;
  return versions.map((record) =>
    record.policy.version === version ? { ...record, figures, comparedWith } : record,
  );
}

/** After its first look, a base is compared until it is decided on or this many looks were made. */
const looksAtBase = 3;
/**
 * If there is no look at a base until the trainer has learned from this many decisions, the base hardly deviates from the rule. Then what
 * was learned is compared instead. As seven tenths of the sessions are for evaluation, these are 330 decisions in all; simulated tenants
 * had their first look after at most 300.
 */
const decisionsWithoutLook = 100;

/**
 * The policy that is compared with the incumbent: the canary, the policy of the last step, or the base before the first step. It is the
 * incumbent itself if that was promoted by hand and nothing was learned since; then there is no candidate.
 *
 * While the rule is in force, the base comes before learned policies. It has learned from no decision of the tenant, so all of them are
 * evidence for it (`evidenceFor`), and it does not change with every step.
 */
export function candidateOf(history: PolicyHistory, base: Base): RoutePolicy {
  const { canary, learned, incumbent, looks, lookedAtBase, rejectedBase, trainer } = history;
  const isBaseFirst =
    incumbent.version === rulePolicy.version &&
    rejectedBase !== base.version &&
    (lookedAtBase ? looks < looksAtBase : trainer.decisions < decisionsWithoutLook);
  const started = { version: base.version, base: base.weights, tenant: {}, decisions: 0 };
  return canary ?? (isBaseFirst ? started : (learned ?? started));
}

/** The policy with this version; undefined if it is unknown or was dropped. */
export function policyWithVersion(
  history: PolicyHistory,
  version: string,
  base: Base,
): RoutePolicy | undefined {
  const { versions, incumbent, earlier } = history;
  const learned = history.learned ? [history.learned] : [];
  return [
    candidateOf(history, base),
    ...learned,
    incumbent,
    ...earlier,
    ...versions.map(({ policy }) => policy),
  ].find((policy) => policy.version === version);
}
