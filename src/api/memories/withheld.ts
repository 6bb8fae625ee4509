import { z } from 'zod';
import { actorOf } from '../../domain/access/context.ts';
import { trustPoliciesOf } from '../../domain/spaces/spaces.ts';
import { isReviewer } from '../../domain/trust/policy.ts';
import type { WithheldAccess } from '../../queries/get-memory.ts';
import type { WithheldInList } from '../../queries/list-memories.ts';
import type { Call } from '../operation.ts';

export const includeQuarantinedField = z.boolean().optional().meta({
  description: 'Also show memories that are awaiting review, to their writer and to reviewers',
});

interface Input {
  readonly includeQuarantined?: boolean | undefined;
}

/** Which single memories that are withheld the caller may read. */
export function withheldFor({ caller, input, services }: Call<Input>): WithheldAccess {
  return {
    policies: async (labels) => trustPoliciesOf(await services.commands.spaces.of(caller.tenant), labels),
    asWriter: input.includeQuarantined === true,
  };
}

/** Which memories that are withheld a list shows; none unless the caller asks for them. */
export async function withheldInList({
  caller,
  input,
  services,
}: Call<Input>): Promise<WithheldInList | undefined> {
  if (!input.includeQuarantined) return undefined;
  const writer = actorOf(caller);
  const { trust, configured } = await services.commands.spaces.of(caller.tenant);
  if (isReviewer([trust], caller)) return { spaces: 'all', writer };
  const spaces = [...configured.values()].filter(
    ({ config }) => config.trust && isReviewer([config.trust], caller),
  );
  return { spaces: spaces.map(({ id }) => id), writer };
}
