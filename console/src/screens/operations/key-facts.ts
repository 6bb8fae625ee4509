import type { ApiKey, CreateKey } from '@stratalog/client';

/** Whether a key is accepted at a time in Unix milliseconds. */
export function keyState(
  { revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>,
  now: number,
): 'active' | 'expired' | 'revoked' {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && Date.parse(expiresAt) <= now ? 'expired' : 'active';
}

/** Lists of a key that say what it reaches, and their names. */
export const scopeFields = [
  ['orgs', 'Orgs'],
  ['teams', 'Teams'],
  ['projects', 'Projects'],
  ['sessions', 'Sessions'],
  ['agents', 'Agents'],
  ['users', 'Users that an agent serves'],
] as const;

/** What a key reaches, in one line; empty if it names nothing. */
export function scopesOf(key: ApiKey): string {
  const parts = [
    ...(key.user === undefined ? [] : [`user ${key.user}`]),
    ...scopeFields.flatMap(([field]) => {
      const values = key[field] ?? [];
      return values.length === 0 ? [] : [`${field}: ${values.join(', ')}`];
    }),
  ];
  return parts.join(' · ');
}

/** What was typed for a new key; lists have commas between their values. */
export type KeyDraft = Readonly<Record<string, string | undefined>>;

/** The body of a new key. Empty fields are left out. `expiresAt` is a local date and time. */
export function newKeyOf(role: CreateKey['role'], draft: KeyDraft): CreateKey {
  const text = (name: string): string | undefined => draft[name]?.trim() || undefined;
  const lists = scopeFields.flatMap(([field]) => {
    const values = (draft[field] ?? '')
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '');
    return values.length === 0 ? [] : [[field, values] as const];
  });
  const [name, user, expiresAt] = [text('name'), text('user'), text('expiresAt')];
  return {
    role,
    ...(name !== undefined && { name }),
    ...(user !== undefined && { user }),
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
    ...Object.fromEntries(lists),
  };
}
