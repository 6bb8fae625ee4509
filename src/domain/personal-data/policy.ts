import { z } from 'zod';

/** What is looked for in texts. */
export const personalDataTypes = ['email', 'phone', 'card', 'iban', 'national-id', 'ip', 'secret'] as const;
export type PersonalDataType = (typeof personalDataTypes)[number];

/** What is done about it, the least strict first. */
export const personalDataActions = ['allow', 'flag', 'redact', 'refuse'] as const;
export type PersonalDataAction = (typeof personalDataActions)[number];

/** What a space does about each type; the default where it says nothing. */
export const personalDataPolicySchema = z
  .partialRecord(z.enum(personalDataTypes), z.enum(personalDataActions))
  .meta({
    description:
      'What to do about personal data and secrets in a text, by type. Default: email, phone and ip are allowed, the others flagged',
  });

export type PersonalDataPolicy = z.infer<typeof personalDataPolicySchema>;

/** What is done about every type. */
export type PersonalDataActions = Readonly<Record<PersonalDataType, PersonalDataAction>>;

export const defaultActions: PersonalDataActions = {
  email: 'allow',
  phone: 'allow',
  card: 'flag',
  iban: 'flag',
  'national-id': 'flag',
  ip: 'allow',
  secret: 'flag',
};

/** The strictest of what the spaces of a memory say, for each type. */
export function strictestActions(policies: readonly (PersonalDataPolicy | undefined)[]): PersonalDataActions {
  if (policies.length === 0) return defaultActions;
  return Object.fromEntries(
    personalDataTypes.map((type) => [
      type,
      policies
        .map((policy) => policy?.[type] ?? defaultActions[type])
        .reduce((one, other) => (rank(one) >= rank(other) ? one : other)),
    ]),
  ) as PersonalDataActions;
}

const rank = (action: PersonalDataAction): number => personalDataActions.indexOf(action);
