import type {
  Budget,
  Caller,
  Policies,
  PolicyEvaluation,
  ReadyzAnswer,
  Stats,
  Stratalog,
  VerifyLogAnswer,
} from '../../../packages/client/src/index.ts';
import type { Part } from './part.ts';
import type { EventPlace, RangeFigures } from './range-counter.ts';

/** Everything that a report says, as `--json` prints it. Figures of the range are in `range`; all others are of `writtenAt`. */
export interface ReportData {
  readonly writtenAt: string;
  /** Version of the program that wrote the report. */
  readonly writtenWith: string;
  readonly server: { readonly url: string; readonly version: string; readonly environment: string };
  readonly tenant: string;
  readonly caller: Pick<Caller, 'role' | 'user' | 'credential'>;
  readonly from: string;
  readonly to: string;
  readonly range: RangeFigures;
  readonly readiness: Part<ReadyzAnswer>;
  /** Streams that read models and reactors hold back. */
  readonly parked: Part<{ readonly items: readonly ParkedStream[] }>;
  readonly stats: Part<Stats>;
  readonly policies: Part<Policies>;
  /** Of the version in force. */
  readonly evaluation: Part<PolicyEvaluation>;
  readonly experience: Part<ExperienceFigures>;
  /** Providers of models by the name of the model. */
  readonly providers: Part<{ readonly items: Readonly<Record<string, string>> }>;
  readonly budget: Part<Budget>;
  readonly spaceBudgets: Part<{ readonly items: readonly SpaceBudget[] }>;
  /** Receipts of the erasures in `range.lists`, by their ids. */
  readonly receipts: Readonly<Record<string, Part<Receipt>>>;
  readonly proof: RangeProof;
}

export type ExperienceFigures = Awaited<ReturnType<Stratalog['admin']['experience']['get']>>;

export interface ParkedStream {
  readonly by: string;
  readonly stream: string;
  readonly type: string;
}

export interface SpaceBudget {
  readonly space: string;
  readonly period: 'day' | 'month';
  readonly usd: number;
  readonly spent: number;
}

export interface Receipt {
  readonly state: 'running' | 'complete';
  readonly completedAt?: string | undefined;
  readonly places: number;
  readonly pending: number;
  /** Whether it is signed with the key of the log. */
  readonly signed: boolean;
}

/** What shows that the events of the range are in the signed log. */
export interface RangeProof {
  readonly heads: Part<LogHeads>;
  readonly first?: Part<ProvenEvent>;
  readonly last?: Part<ProvenEvent>;
  /** Of the whole log. */
  readonly verification: Part<VerifyLogAnswer>;
}

export interface LogHeads {
  readonly origin: string;
  readonly verifierKey: string;
  readonly restoredFrom?: readonly { readonly origin: string; readonly size: number }[] | undefined;
  /** The last one; absent if none was signed yet. */
  readonly last?: SignedHead;
}

export interface SignedHead {
  readonly size: number;
  readonly root: string;
  readonly at: string;
  readonly note: string;
  readonly cosignedBy?: readonly string[] | undefined;
}

export interface ProvenEvent extends EventPlace {
  /** Number of the leaf in the log, from 0. */
  readonly leaf: number;
  /** Number of events under the head of the proof. */
  readonly size: number;
  /** The `.tlog-proof`, which is verified without the server. */
  readonly proof: string;
  /** Whether this program has verified it: the signature, the path, and that the leaf is this event. */
  readonly verified: boolean;
}
