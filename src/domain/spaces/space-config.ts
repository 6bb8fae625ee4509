import { z } from 'zod';
import { identifier } from '../layers.ts';
import { jsonObject } from '../json.ts';
import { personalDataPolicySchema } from '../personal-data/policy.ts';
import { trustPolicySchema } from '../trust/policy.ts';

/** The id of a space that has a configuration. A label without one may be any identifier. */
export const spaceIdSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'must be 1 to 64 letters, digits, dots, hyphens and underscores, and begin with a letter or digit',
  )
  .meta({ description: 'Letters, digits, dots, hyphens and underscores, at most 64' });

/** Names of the configurations to begin from (`presets.ts`). */
export const spacePresetNames = ['dev_copilot', 'salesforce', 'research'] as const;
export type SpacePreset = (typeof spacePresetNames)[number];

export const routingStrategies = ['rule_based', 'llm_based'] as const;
export const dedupStrategies = ['none', 'exact', 'semantic'] as const;
export const metadataPolicies = ['flag', 'reject'] as const;

const share = z.number().min(0).max(1);
const dollars = z.number().positive().max(1_000_000);
const modelName = z.string().min(1).max(256);

const fields = {
  preset: z.enum(spacePresetNames).meta({
    description:
      'Preset that it was made from. Its rules and its subject say which documents belong into the space',
  }),
  description: z.string().min(1).max(2_000),
  acceptedTypes: z.array(identifier).min(1).max(100).meta({
    description:
      'Values of `metadata.content_type` that may enter; all may if absent. A memory without a type may always enter',
  }),
  qualityThreshold: share.meta({
    description: 'Quality that a section of a document must reach, 0 to 1',
  }),
  retentionDays: z.int().min(1).max(36_500).meta({
    description: 'Days after which a memory is soft-deleted. Of several spaces, the longest counts',
  }),
  maxSizeMb: z.number().positive().max(10_000_000).meta({
    description: 'Size of all contents of the space, in millions of bytes of UTF-8',
  }),
  dailyBudgetUsd: dollars.meta({
    description: 'US dollars that models may cost for the space in a day of UTC',
  }),
  monthlyBudgetUsd: dollars.meta({
    description: 'US dollars that models may cost for the space in a month of UTC',
  }),
  embeddingModel: modelName.meta({
    description: 'Embedding model of the server that embeds the memories of the space, by its id',
  }),
  llmModel: modelName.meta({
    description: 'Language model of the server that writes summaries, lessons and facts of the space',
  }),
  routingStrategy: z.enum(routingStrategies).meta({
    description: 'Whether rules alone, or also the language model, choose the space of a document',
  }),
  temporalDecayRate: share.meta({
    description: 'How much older memories rank lower, 0 to 1; 0 changes nothing',
  }),
  versionTracking: z.boolean().meta({
    description: 'Whether the newest version of a document stands first',
  }),
  citationTracking: z.boolean().meta({
    description: 'Whether references to other memories in a text become links',
  }),
  dedupStrategy: z.enum(dedupStrategies).meta({
    description:
      '`exact`: a text that the space has already affirms the first memory. `semantic`: memories that say the same are also collected in clusters',
  }),
  semanticSimilarityThreshold: z.number().min(0.5).max(1).meta({
    description: 'Similarity from which two memories may say the same, 0.5 to 1. Default: 0.95',
  }),
  autoIngest: z.boolean().meta({
    description:
      'Whether sources add documents to the space on their schedules. If false, only runs that somebody asks for do. Default: true',
  }),
  sources: z.array(identifier).max(1_000).meta({
    description:
      'Ids of sources whose documents go to the space, unless the source or the document names other spaces',
  }),
  enableReasoningMemory: z.boolean().meta({ description: 'Whether reasoning traces may name the space' }),
  metadataSchema: jsonObject.meta({
    description: 'JSON Schema (2020-12) of the metadata, without `pattern`, at most 16,000 bytes',
  }),
  pii: personalDataPolicySchema,
  metadataPolicy: z.enum(metadataPolicies).meta({
    description: 'Whether metadata that do not fit the schema are flagged or refused',
  }),
  trust: trustPolicySchema.meta({
    description: 'What waits for a review in this space, in addition to the policy of the tenant',
  }),
};

/** The fields of a configuration as callers send them; all may be left out. */
export const spaceFieldsSchema = z.strictObject(fields).partial();

/**
 * What a space decides about its memories: which enter, how long they stay, what they may cost and how they rank. A space that nobody
 * configured has the defaults, which decide nothing.
 */
export const spaceConfigSchema = spaceFieldsSchema
  .extend({
    qualityThreshold: fields.qualityThreshold.default(0),
    routingStrategy: fields.routingStrategy.default('rule_based'),
    temporalDecayRate: fields.temporalDecayRate.default(0),
    versionTracking: fields.versionTracking.default(false),
    citationTracking: fields.citationTracking.default(false),
    dedupStrategy: fields.dedupStrategy.default('none'),
    autoIngest: fields.autoIngest.default(true),
    sources: fields.sources.default([]),
    enableReasoningMemory: fields.enableReasoningMemory.default(true),
    pii: fields.pii.default({}),
    metadataPolicy: fields.metadataPolicy.default('flag'),
  })
  .meta({ id: 'SpaceConfig' });

export type SpaceConfig = z.output<typeof spaceConfigSchema>;
export type SpaceConfigInput = z.input<typeof spaceConfigSchema>;

/** The configuration of a space that nobody configured. */
export const defaultSpace: SpaceConfig = spaceConfigSchema.parse({});
