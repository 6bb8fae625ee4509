import type { MemoryValue } from '../../domain/memory/memory.ts';
import { redacted, type PersonalDatum } from '../../domain/personal-data/personal-data.ts';
import {
  personalDataTypes,
  strictestActions,
  type PersonalDataActions,
  type PersonalDataType,
} from '../../domain/personal-data/policy.ts';
import { Problem } from '../../domain/problems.ts';
import type { Spaces } from '../../domain/spaces/spaces.ts';
import { personalDataIn } from './find-personal-data.ts';

/** An answer names so many places at most. */
const mostErrors = 20;

type Texts = Pick<MemoryValue, 'content' | 'representations'>;

export interface PersonalDataCheck {
  /** The texts that redaction changed. */
  readonly texts: Partial<Texts>;
  /** What stays in the content, by type and place. */
  readonly pii: PersonalDatum[];
  readonly flags: readonly string[];
}

/**
 * Looks for personal data and secrets in the texts of a memory, and does what the strictest of its spaces says: redacts, flags, or throws
 * `personal-data-refused` with type and place.
 */
export async function checkPersonalData(
  { configured }: Spaces,
  { content, representations, spaces }: Texts & Pick<MemoryValue, 'spaces'>,
): Promise<PersonalDataCheck> {
  const policies = spaces.flatMap((label) => configured.get(label)?.config.pii ?? []);
  const actions = strictestActions(policies);
  const wanted = personalDataTypes.filter((type) => actions[type] !== 'allow');
  if (wanted.length === 0) return { texts: {}, pii: [], flags: [] };
  const own = await handle('content', content, wanted, actions);
  const others = await Promise.all(
    Object.entries(representations).map(async ([kind, text]) => {
      const path = `representations.${kind}`;
      return [kind, await handle(path, text, wanted, actions)] as const;
    }),
  );
  const all = [own, ...others.map(([, each]) => each)];
  const isChanged = others.some(
    ([kind, { text }]) => text !== representations[kind as keyof typeof representations],
  );
  return {
    texts: {
      ...(own.text !== content && { content: own.text }),
      ...(isChanged && {
        representations: Object.fromEntries(others.map(([kind, { text }]) => [kind, text])),
      }),
    },
    pii: own.data,
    flags: [...new Set(all.flatMap(({ data }) => data.map(({ type }) => flagOf(type))))],
  };
}

/** The flag of a memory that has data of this type. */
const flagOf = (type: PersonalDataType): string => (type === 'secret' ? 'secret' : `pii:${type}`);

async function handle(
  path: string,
  text: string,
  wanted: readonly PersonalDataType[],
  actions: PersonalDataActions,
): Promise<{ readonly text: string; readonly data: PersonalDatum[] }> {
  const found = await personalDataIn(text, wanted);
  const refused = found.filter(({ type }) => actions[type] === 'refuse');
  if (refused.length > 0) throw refusal(path, refused);
  if (!found.some(({ type }) => actions[type] === 'redact')) return { text, data: found };
  return redacted(text, found, (type) => actions[type] === 'redact');
}

function refusal(path: string, refused: readonly PersonalDatum[]): Problem {
  const types = [...new Set(refused.map(({ type }) => type))].join(', ');
  return new Problem('personal-data-refused', `${path} has what a space of the memory refuses: ${types}`, {
    errors: refused
      .slice(0, mostErrors)
      .map(({ type, start, end }) => ({ path, message: `has a ${type} from ${start} to ${end}` })),
  });
}
