import type { Layer, Scope, ScopeKey } from '../layers.ts';
import { hasRole, type TenantContext } from './context.ts';

/** Memories of `layer` whose scope has one of `values` for `key`; without a key, all memories of the layer. */
export interface VisibleLayer {
  readonly layer: Layer;
  readonly key?: ScopeKey;
  readonly values?: readonly string[];
  /** Only memories whose scope names no user. */
  readonly withoutUser?: true;
}

/**
 * What a caller may see within its tenant, as data, so that SQL, the search index and as-of reads compile the same
 * predicate. A memory is visible if any entry matches; an empty list matches nothing.
 */
export type Visibility = 'all' | readonly VisibleLayer[];

/**
 * The only visibility rule. Only the identifier of a memory's own layer grants access, and `user` for sessions and
 * agents; other identifiers do not.
 */
export function visible(context: TenantContext): Visibility {
  if (hasRole(context, 'agent')) return visibleToAgent(context);
  if (hasRole(context, 'admin', 'auditor')) return 'all';
  if (!hasRole(context, 'member', 'reader')) return [];
  const isReader = hasRole(context, 'reader');
  const shared = (layer: 'org' | 'team' | 'project', values: readonly string[]): VisibleLayer =>
    isReader ? { layer } : { layer, key: layer, values };
  const own = context.user === undefined ? [] : [context.user];
  const ownAgents = context.agent === undefined ? context.agents : [...context.agents, context.agent];
  const entries: VisibleLayer[] = [
    { layer: 'company' },
    shared('org', context.orgs),
    shared('team', context.teams),
    shared('project', context.projects),
    { layer: 'user', key: 'user', values: own },
    { layer: 'session', key: 'user', values: own },
    { layer: 'session', key: 'session', values: context.sessions },
    { layer: 'agent', key: 'user', values: own },
    { layer: 'agent', key: 'agent', values: ownAgents },
  ];
  return entries.filter(grantsAny);
}

/**
 * An agent that acts for nobody sees the memories that belong to no user. If it acts for a user, it sees shared memories as a member
 * does, and the personal ones of that user.
 */
function visibleToAgent({ user, orgs, teams, projects, agents }: TenantContext): Visibility {
  const shared: VisibleLayer[] = [
    { layer: 'company' },
    { layer: 'org', key: 'org', values: orgs },
    { layer: 'team', key: 'team', values: teams },
    { layer: 'project', key: 'project', values: projects },
  ];
  const own: VisibleLayer = { layer: 'agent', key: 'agent', values: agents, withoutUser: true };
  const personal = (['user', 'session', 'agent'] as const).map((layer): VisibleLayer => ({
    layer,
    key: 'user',
    values: user === undefined ? [] : [user],
  }));
  const entries =
    user === undefined
      ? [...shared.map((entry): VisibleLayer => ({ ...entry, withoutUser: true })), own]
      : [...shared, ...personal, own];
  return entries.filter(grantsAny);
}

function grantsAny({ values }: VisibleLayer): boolean {
  return values === undefined || values.length > 0;
}

/** The scope keys that decide who sees a memory of `layer`. Counts grouped by these keys can be filtered for any caller. */
export function visibilityKeys(layer: Layer): readonly ScopeKey[] {
  switch (layer) {
    case 'company':
      return [];
    case 'session':
    case 'agent':
      return ['user', layer];
    case 'org':
    case 'team':
    case 'project':
    case 'user':
      return [layer];
    default:
      return layer satisfies never;
  }
}

/**
 * A visibility for filtering counts grouped by `visibilityKeys`, which do not tell whether a shared memory names a user: the entries
 * that depend on it are left out.
 */
export function visibleInCounts(visibility: Visibility): Visibility {
  if (visibility === 'all') return visibility;
  return visibility.filter(
    ({ layer, withoutUser }) => !withoutUser || visibilityKeys(layer).includes('user'),
  );
}

/** Layer and scope of a memory: all that access rules need. */
export interface Placement {
  readonly layer: Layer;
  readonly scope: Scope;
}

export function isVisible(visibility: Visibility, memory: Placement): boolean {
  return visibility === 'all' || visibility.some((entry) => matches(entry, memory));
}

function matches(entry: VisibleLayer, { layer, scope }: Placement): boolean {
  if (entry.layer !== layer) return false;
  if (entry.withoutUser && scope.user !== undefined) return false;
  if (entry.key === undefined) return true;
  const value = scope[entry.key];
  return value !== undefined && (entry.values ?? []).includes(value);
}

/** Whether the caller may write any memory at all. */
export function isWriter(context: TenantContext): boolean {
  return hasRole(context, 'agent', 'admin', 'member');
}

/** Whether the caller may create or change memories there. Visibility is separate: check `isVisible` first. */
export function isWritable(context: TenantContext, memory: Placement): boolean {
  const { layer, scope } = memory;
  // An agent writes all that it sees, except in the company layer.
  if (hasRole(context, 'agent')) return layer !== 'company' && isVisible(visible(context), memory);
  if (hasRole(context, 'admin')) return true;
  if (!hasRole(context, 'member')) return false;
  switch (layer) {
    case 'company':
      return false;
    case 'org':
      return includes(context.orgs, scope.org);
    case 'team':
      return includes(context.teams, scope.team);
    case 'project':
      return includes(context.projects, scope.project);
    case 'user':
      return isOwn(context.user, scope.user);
    case 'session':
      return isOwn(context.user, scope.user) || includes(context.sessions, scope.session);
    case 'agent':
      return (
        isOwn(context.user, scope.user) ||
        isOwn(context.agent, scope.agent) ||
        includes(context.agents, scope.agent)
      );
  }
}

function includes(values: readonly string[], value: string | undefined): boolean {
  return value !== undefined && values.includes(value);
}

function isOwn(own: string | undefined, value: string | undefined): boolean {
  return own !== undefined && own === value;
}
