import { z } from 'zod';

/** Where the text of a memory came from, most trusted first. */
export const trustSources = ['user', 'agent', 'tool', 'document', 'web', 'import'] as const;
export type TrustSource = (typeof trustSources)[number];

export const trustStates = ['trusted', 'quarantined', 'rejected'] as const;
export type TrustState = (typeof trustStates)[number];

/** How far a memory may be relied on: decided when it is written, and by reviews. */
export const trustSchema = z
  .object({
    source: z.enum(trustSources).meta({ description: 'Where the text came from' }),
    state: z.enum(trustStates).meta({
      description:
        '`quarantined` memories are found by reviewers only, until one decides; `rejected` ones by nobody',
    }),
    flags: z.array(z.string()).meta({
      description:
        'What rules noticed: `instruction`, `secret`, `pii:<type>`, `contradicts-trusted`, `metadata`',
    }),
    reviewedBy: z.string().optional(),
  })
  .meta({ id: 'Trust' });

export type Trust = z.infer<typeof trustSchema>;

/** The trust of a memory that has none in its events: from before trust was recorded, or written by a user and without flags. */
export const unrecordedTrust: Trust = { source: 'user', state: 'trusted', flags: [] };

/** Whether the memory is kept out of every answer: it waits for a review, or a review has rejected it. */
export function isWithheld({ trust }: { readonly trust?: Trust | undefined }): boolean {
  return trust !== undefined && trust.state !== 'trusted';
}

/** Whether `source` is trusted less than `other`. */
export function isBelow(source: TrustSource, other: TrustSource): boolean {
  return trustSources.indexOf(source) > trustSources.indexOf(other);
}
