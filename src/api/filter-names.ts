import { z } from 'zod';
import { identifier, layerSchema, type Layer } from '../domain/layers.ts';
import { invalid } from '../domain/problems.ts';

/** The singular names of `layers`, `spaces` and `tags` in a body: one value, or a list. */
export const singularFields = {
  layer: oneOrMore(layerSchema, 'layers'),
  space: oneOrMore(identifier, 'spaces'),
  tag: oneOrMore(identifier, 'tags'),
};

function oneOrMore<Item extends z.ZodType>(item: Item, plural: string) {
  return z
    .preprocess(
      (value) => (typeof value === 'string' ? [value] : value),
      z.array(item).min(1, 'must name at least one, or be left out').max(100).optional(),
    )
    .optional()
    .meta({
      anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
      description: `Alias of \`${plural}\`, for one value or a list`,
    });
}

interface FilterNames {
  readonly layer?: readonly Layer[] | undefined;
  readonly layers?: readonly Layer[] | undefined;
  readonly space?: readonly string[] | undefined;
  readonly spaces?: readonly string[] | undefined;
  readonly tag?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** An input under its plural names. Throws `validation-failed` if both names of one field were sent. */
export function withPluralNames<Input extends FilterNames>(
  input: Input,
): Omit<Input, 'layer' | 'space' | 'tag'> & Pick<FilterNames, 'layers' | 'spaces' | 'tags'> {
  const { layer, space, tag, ...rest } = input;
  return {
    ...rest,
    layers: either('layer', layer, input.layers),
    spaces: either('space', space, input.spaces),
    tags: either('tag', tag, input.tags),
  };
}

function either<Values>(singular: string, one: Values | undefined, several: Values | undefined) {
  if (one !== undefined && several !== undefined)
    throw invalid(singular, `is the same as ${singular}s; send one of them`);
  return one ?? several;
}
