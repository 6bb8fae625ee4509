import type { AuditEvent, PolicyFigures } from '../../../packages/client/src/index.ts';
import { gainOf } from '../policies.ts';

/** The fields of the listed types, which stay readable after an erasure. Each type has those that its text uses. */
interface Data {
  readonly memoryId: string;
  readonly because?: string;
  readonly documentId: string;
  readonly code: string;
  readonly target: Target;
  readonly keyId: string;
  readonly role: string;
  readonly user?: string;
  readonly expiresAt?: string;
  readonly tenant: string;
  readonly period: string;
  readonly tokens?: number;
  readonly usd?: number;
  readonly purpose: string;
  readonly space?: string;
  readonly engaged: boolean;
  readonly enabled: boolean;
  readonly threshold: number;
  readonly layer: string;
  readonly ruleCount: number;
  readonly spaceId: string;
  readonly strict: boolean;
  readonly sourceId: string;
  readonly type: string;
  readonly from: string | number;
  readonly to: string | number;
  readonly projection: string;
  readonly logId: string;
  readonly decision: string;
  readonly other?: string;
  readonly clusterId: string;
  readonly resolution: string;
  readonly policy: { readonly version: string };
  readonly share: string;
  readonly forced: boolean;
  readonly version: string;
  readonly incumbent: string;
  readonly verdict: string;
  readonly reason: string;
  readonly figures?: PolicyFigures;
  readonly searches: number;
  readonly gain: number;
  readonly interval?: readonly number[];
  readonly weight: number;
}

interface Target {
  readonly kind: string;
  readonly memoryId?: string;
  readonly documentId?: string;
  readonly subject?: string;
  readonly tenant?: string;
}

/**
 * What an event of a type is about, in names, ids and figures. Never contents, reasons or names of keys: these can be erased, and a
 * report that was sent away cannot.
 */
const details: Readonly<Record<string, (data: Data) => string>> = {
  MemoryDeleted: ({ memoryId, because }) => joined(`memory ${memoryId}`, because),
  DocumentDeleted: ({ documentId }) => `document ${documentId}`,
  DocumentRefused: ({ documentId, code }) => joined(`document ${documentId}`, code),
  ErasureRequested: ({ target }) => targetOf(target),
  ApiKeyCreated: ({ keyId, role, user, expiresAt }) =>
    joined(`key ${keyId}`, `role ${role}`, user && `user ${user}`, expiresAt && `until ${expiresAt}`),
  ApiKeyRevoked: ({ keyId }) => `key ${keyId}`,
  TenantCreated: ({ tenant }) => `tenant ${tenant}`,
  BudgetConfigured: ({ period, tokens, usd }) =>
    joined(`a ${period}`, tokens !== undefined && `${tokens} tokens`, usd !== undefined && `$${usd}`),
  BudgetExhausted: ({ purpose, space, period }) =>
    joined(purpose, space !== undefined && `space ${space}`, `of the ${period}`),
  KillSwitchSet: ({ engaged }) => (engaged ? 'engaged' : 'released'),
  RoutingConfigured: ({ enabled, threshold }) => `${enabled ? 'on' : 'off'}, threshold ${threshold}`,
  SummaryConfigured: ({ layer }) => `layer ${layer}`,
  ContentRoutingConfigured: ({ ruleCount }) => `${ruleCount} rules`,
  SpaceConfigured: ({ spaceId }) => `space ${spaceId}`,
  SpaceRemoved: ({ spaceId }) => `space ${spaceId}`,
  SpacesRestricted: ({ strict }) => (strict ? 'configured spaces only' : 'any space'),
  SourceConfigured: ({ sourceId, type }) => `source ${sourceId}, ${type}`,
  SourceRemoved: ({ sourceId }) => `source ${sourceId}`,
  FactsSwitched: ({ from, to }) => `generation ${from} to ${to}`,
  ProjectionSwitched: ({ projection, from, to }) => `${projection}, generation ${from} to ${to}`,
  ParkedEventSkipped: ({ projection, type }) => `${projection} without a ${type}`,
  LogRestored: ({ logId }) => `log ${logId}`,
  MemoryReviewed: ({ memoryId, decision, other }) =>
    joined(`${decision}: memory ${memoryId}`, other !== undefined && `with ${other}`),
  DuplicatesResolved: ({ clusterId, resolution }) => `${resolution}: cluster ${clusterId}`,
  PolicyPromoted: ({ policy, share, forced, figures }) =>
    joined(
      policy.version,
      share === 'canary' ? 'as a canary' : 'in force',
      forced && 'without proof',
      gainText(figures),
    ),
  PolicyRolledBack: ({ version, to, reason }) => joined(`${version} to ${to}`, reason),
  PolicyCompared: ({ version, incumbent, verdict, reason, figures }) =>
    joined(`${version} with ${incumbent}: ${verdict}`, reason, gainText(figures)),
  ValuesCompared: ({ searches, gain, interval, weight }) =>
    joined(
      `${searches} searches`,
      `gain ${gainOf(gain, interval)}`,
      weight === 0 ? 'values do not rank' : `values rank with weight ${weight}`,
    ),
};

/** What an event is about, in a few words; empty for types that say it by their name. */
export function detailOf({ type, data }: Pick<AuditEvent, 'type' | 'data'>): string {
  return details[type]?.(data as unknown as Data) ?? '';
}

function joined(...parts: readonly (string | false | undefined)[]): string {
  return parts.filter((part) => part !== false && part !== undefined && part !== '').join(', ');
}

function targetOf({ kind, memoryId, documentId, subject, tenant }: Target): string {
  const id = memoryId ?? documentId ?? tenant ?? (subject && `with the pseudonym ${subject}`);
  return `${kind === 'subject' ? 'person' : kind}${id === undefined ? '' : ` ${id}`}`;
}

function gainText(figures: PolicyFigures | undefined): string | undefined {
  return figures && `gain ${gainOf(figures.doublyRobust.value, figures.interval)}`;
}
