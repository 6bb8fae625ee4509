import type { Spaces } from './spaces.ts';

/** A space and the embedding model that it names. */
export interface NamedModel {
  readonly space: string;
  readonly model: string;
}

/** The embedding models that spaces name; only of these `labels`, if they are given. */
export function namedModels({ configured }: Spaces, labels?: readonly string[]): readonly NamedModel[] {
  const named: NamedModel[] = [];
  for (const space of labels ? new Set(labels) : configured.keys()) {
    const model = configured.get(space)?.config.embeddingModel;
    if (model !== undefined) named.push({ space, model });
  }
  return named;
}

/** The language model of a text that is made of memories or attempts with these labels; undefined unless all are of one space. */
export function commonLanguageModel(
  { configured }: Spaces,
  labelsOfEach: readonly (readonly string[])[],
): string | undefined {
  const [first] = labelsOfEach;
  if (!first) return undefined;
  const models = new Set(
    first
      .filter((label) => labelsOfEach.every((labels) => labels.includes(label)))
      .map((label) => configured.get(label)?.config.llmModel)
      .filter((model) => model !== undefined),
  );
  return models.size === 1 ? [...models][0] : undefined;
}
