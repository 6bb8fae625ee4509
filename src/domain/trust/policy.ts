import { z } from 'zod';
import { causes, hasRole, type Cause, type Role, type TenantContext } from '../access/context.ts';
import { trustSources, type TrustSource } from './trust.ts';

/** Roles that may be named as reviewers. Agents may not: a review is the decision of a person. */
export const reviewerRoles = ['member', 'reader', 'auditor', 'admin'] as const satisfies readonly Role[];

const flag = z
  .string()
  .regex(
    /^(instruction|secret|contradicts-trusted|metadata|pii|pii:[a-z-]{1,32})$/,
    'must be instruction, secret, contradicts-trusted, metadata, pii or pii:<type>',
  );

const rule = z
  .strictObject({
    source: z.enum(trustSources).optional().meta({ description: 'Memories from this source' }),
    flag: flag.optional().meta({
      description: 'Memories that have this flag; `pii` matches every type of personal data',
    }),
    cause: z.enum(causes).optional().meta({ description: 'Memories that were stored for this cause' }),
  })
  .refine((rule) => Object.keys(rule).length > 0, 'must name a source, a flag or a cause');

export type QuarantineRule = z.output<typeof rule>;

/** The fields of a policy, without defaults. */
export const trustPolicyFields = {
  quarantine: z.array(rule).max(100).meta({
    description: 'Memories that meet all conditions of one of these rules wait for a review',
  }),
  reviewers: z.array(z.enum(reviewerRoles)).max(10).meta({
    description: 'Roles that may review, besides `admin`',
  }),
};

/** What waits for a review before anybody finds it, and who reviews. Nothing waits where nothing is configured. */
export const trustPolicySchema = z
  .strictObject({
    quarantine: trustPolicyFields.quarantine.default([]),
    reviewers: trustPolicyFields.reviewers.default(['admin']),
  })
  .meta({ id: 'TrustPolicy' });

export type TrustPolicy = z.output<typeof trustPolicySchema>;

export const noTrustPolicy: TrustPolicy = { quarantine: [], reviewers: ['admin'] };

/** What a rule looks at. */
export interface Arrival {
  readonly source: TrustSource;
  readonly flags: readonly string[];
  readonly cause: Cause;
}

/** Whether one of the policies holds a memory that arrives like this. */
export function isHeld(policies: readonly TrustPolicy[], arrival: Arrival): boolean {
  return policies.some(({ quarantine }) => quarantine.some((rule) => applies(rule, arrival)));
}

/** Whether one of the policies holds what contradicts a memory from a more trusted source. */
export function holdContradictions(policies: readonly TrustPolicy[]): boolean {
  return policies.some(({ quarantine }) => quarantine.some(({ flag }) => flag === 'contradicts-trusted'));
}

function applies({ source, flag, cause }: QuarantineRule, arrival: Arrival): boolean {
  if (source !== undefined && source !== arrival.source) return false;
  if (cause !== undefined && cause !== arrival.cause) return false;
  return flag === undefined || arrival.flags.some((one) => one === flag || one.startsWith(`${flag}:`));
}

/** Whether the caller reviews memories that these policies apply to. */
export function isReviewer(policies: readonly TrustPolicy[], caller: TenantContext): boolean {
  if (hasRole(caller, 'agent')) return false;
  return hasRole(caller, 'admin') || policies.some(({ reviewers }) => hasRole(caller, ...reviewers));
}
