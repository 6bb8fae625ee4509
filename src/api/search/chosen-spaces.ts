import { z } from 'zod';
import type { TenantContext } from '../../domain/access/context.ts';
import { identifier } from '../../domain/layers.ts';
import { invalid } from '../../domain/problems.ts';
import { spaceChoiceSchema, type SpaceChoice } from '../../domain/retrieval/space-choice.ts';
import type { SpacelessRequest } from '../../queries/content-routing/question-spaces.ts';
import type { Services } from '../services.ts';

/** Spaces of a search: a list, or `auto`. */
export const searchedSpaces = z
  .union([z.literal('auto'), z.array(identifier).min(1, 'must name at least one, or be left out').max(100)])
  .optional()
  .meta({
    description:
      'Only these spaces. `auto` narrows to spaces that the question names (`--space X` or `space:X`), or that its nearest memories agree on; else all are searched',
  });

/** Of the answer to a search. */
export const spaceChoiceField = spaceChoiceSchema.optional().meta({
  description:
    'With `spaces: "auto"`: the spaces that were searched, none if all were, and why. `hint`: the question names them. `similar`: its nearest memories are there. `unsure`: no space surely fits',
});

type SentSpaces = z.output<typeof searchedSpaces>;

/** An input whose `spaces` are a list. Throws `validation-failed` for `auto` beside `space`. */
export function withSpaceList<Input extends { readonly spaces?: SentSpaces; readonly space?: unknown }>(
  input: Input,
): Omit<Input, 'spaces'> & { readonly spaces: string[] | undefined } {
  if (input.spaces === 'auto' && input.space !== undefined)
    throw invalid('space', 'is the same as spaces; send one of them');
  return { ...input, spaces: input.spaces === 'auto' ? undefined : input.spaces };
}

/** A request in the spaces that are chosen for it, if `sent` leaves the choice open; otherwise as it is. */
export async function inChosenSpaces<Request extends SpacelessRequest & { readonly spaces?: unknown }>(
  { questionSpaces }: Pick<Services, 'questionSpaces'>,
  caller: TenantContext,
  sent: SentSpaces,
  request: Request,
): Promise<Request & { readonly spaceChoice?: SpaceChoice }> {
  if (sent !== 'auto') return request;
  const { query, spaces, choice } = await questionSpaces.choose(caller, request);
  return { ...request, query, spaces, spaceChoice: choice };
}
