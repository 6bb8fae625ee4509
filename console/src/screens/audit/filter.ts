import type { AuditEvent, AuditFilter } from '@stratalog/client';
import type { AddressValues } from '../../app/address-values.ts';
import { memoriesOf } from './describe.ts';
import { eventGroups } from './event-groups.ts';

/** Names of the filters in the address. */
export const filterNames = [
  'group',
  'type',
  'memory',
  'actor',
  'session',
  'user',
  'layer',
  'space',
  'outcome',
  'stream',
  'correlation',
  'from',
  'to',
] as const;

/** The filters of an address, without anything else that is in it. */
export function filtersIn(values: AddressValues): AddressValues {
  return Object.fromEntries(filterNames.flatMap((name) => (values[name] ? [[name, values[name]]] : [])));
}

/** What the server is asked for. A correlation is no filter of the server; see `isWanted`. */
export function auditFilter(values: AddressValues, at?: string): AuditFilter {
  const { memory, actor, session, user, layer, space, outcome, stream, from } = values;
  const type = typesIn(values);
  // The filter and the chosen time both bound it; the earlier one counts.
  const to = [values['to'], at]
    .filter((time): time is string => time !== undefined && time !== '')
    .toSorted((one, other) => Date.parse(one) - Date.parse(other))[0];
  return {
    ...(type && { type }),
    ...(memory && { memory }),
    ...(actor && { actor }),
    ...(session && { 'scope.session': session }),
    ...(user && { 'scope.user': user }),
    ...(layer && { layer: [layer] }),
    ...(space && { space: [space] }),
    ...(outcome && { outcome: [outcome] }),
    ...(stream && { stream }),
    ...(from && { from }),
    ...(to && { to }),
  };
}

function typesIn({ type, group }: AddressValues): readonly string[] | undefined {
  const named = (type ?? '').split(/[\s,]+/).filter((one) => one !== '');
  if (named.length > 0) return named;
  return group === undefined ? undefined : eventGroups[group];
}

/** Whether an event belongs to a correlation: to the command with this id, or to what an event with this id led to. */
export function isOf(correlation: string | undefined, event: AuditEvent): boolean {
  return (
    correlation === undefined || [event.correlationId, event.causationId, event.id].includes(correlation)
  );
}

/** Whether an arriving event passes the filters, judged by its own fields. */
export function isWanted(values: AddressValues, event: AuditEvent): boolean {
  const { memory, actor, session, user, layer, space, outcome, stream, correlation } = values;
  const { data } = event;
  const types = typesIn(values);
  const scope = (data['scope'] ?? {}) as Readonly<Record<string, unknown>>;
  const names = (one: string, many: string): readonly unknown[] => [
    data[one],
    ...(Array.isArray(data[many]) ? (data[many] as readonly unknown[]) : []),
  ];
  return (
    (!types || types.includes(event.type)) &&
    (!memory || memoriesOf(data).includes(memory)) &&
    (!actor || event.actor === actor) &&
    (!session ||
      scope['session'] === session ||
      data['session'] === session ||
      data['sessionId'] === session) &&
    (!user || scope['user'] === user) &&
    (!layer || names('layer', 'layers').includes(layer)) &&
    (!space || names('space', 'spaces').includes(space)) &&
    (!outcome || [data['outcome'], data['kind']].includes(outcome)) &&
    (!stream || event.stream === stream) &&
    isOf(correlation || undefined, event)
  );
}
