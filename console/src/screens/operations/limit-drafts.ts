import type { Limit, Limits } from '@stratalog/client';
import { mistakeOf, typedNumber, valueOf, type Typed } from './numbers.ts';

export const roles = ['agent', 'member', 'reader', 'auditor', 'operator', 'admin'] as const;
export type Role = (typeof roles)[number];

/** Whom a limit is for: each key, the tenant, or each key of a role. */
export type LimitOwner = 'perKey' | 'perTenant' | Role;

export const limitOwners: readonly (readonly [LimitOwner, string])[] = [
  ['perKey', 'each key'],
  ['perTenant', 'the tenant, all keys together'],
  ...roles.map((role) => [role, `each key of the role ${role}`] as const),
];

export const limitFields = [
  { name: 'unitsPerSecond', label: 'Units a second', isWhole: false, least: 0 },
  { name: 'burst', label: 'Units at once', isWhole: false, least: 0 },
  { name: 'concurrency', label: 'Requests at a time', isWhole: true, least: 1 },
] as const;

/** What was typed, by owner and field. */
export type LimitDraft = Readonly<Record<string, string | undefined>>;

export const draftKey = (owner: LimitOwner, field: string): string => `${owner}.${field}`;

const limitOf = (limits: Limits, owner: LimitOwner): Limit | undefined =>
  owner === 'perKey' || owner === 'perTenant' ? limits[owner] : limits.byRole?.[owner];

export function draftOf(limits: Limits): LimitDraft {
  const cells = limitOwners.flatMap(([owner]) =>
    limitFields.map(({ name }) => {
      const value = limitOf(limits, owner)?.[name];
      return [draftKey(owner, name), value === undefined ? '' : String(value)] as const;
    }),
  );
  return Object.fromEntries(cells);
}

/** The limits that a draft stands for, or its first mistake. Rows without a value have no limit. */
export function limitsOf(draft: LimitDraft): { readonly limits: Limits } | { readonly mistake: string } {
  const rows = limitOwners.map(([owner, ownerName]) => {
    const typed = limitFields.map((field): readonly [string, Typed] => [
      field.name,
      typedNumber(`${field.label} of ${ownerName}`, draft[draftKey(owner, field.name)] ?? '', field),
    ]);
    return { owner, typed };
  });
  const mistake = mistakeOf(rows.flatMap(({ typed }) => typed.map(([, one]) => one)));
  if (mistake !== undefined) return { mistake };
  const filled = rows.flatMap(({ owner, typed }) => {
    const values = typed.flatMap(([name, one]) => {
      const value = valueOf(one);
      return value === undefined ? [] : [[name, value] as const];
    });
    const limit: Limit = Object.fromEntries(values);
    return values.length === 0 ? [] : [[owner, limit] as const];
  });
  const isWide = ([owner]: readonly [LimitOwner, Limit]): boolean =>
    owner === 'perKey' || owner === 'perTenant';
  const ofRoles = filled.filter((one) => !isWide(one));
  return {
    limits: {
      ...Object.fromEntries(filled.filter(isWide)),
      ...(ofRoles.length > 0 && { byRole: Object.fromEntries(ofRoles) }),
    },
  };
}
