import type { SpaceConfigInput, SpacePreset } from './space-config.ts';

const text = { type: 'string' };
const oneOf = (...values: readonly string[]) => ({ enum: [...values] });
const count = { type: 'integer', minimum: 0 };
const time = { type: 'string', format: 'date-time' };
const difficulties = ['beginner', 'intermediate', 'advanced'] as const;

/** Fields of metadata with their schema; other fields may stand beside them. */
const metadata = (properties: Record<string, object>) => ({ type: 'object', properties });

/** Configurations to begin from, by name: for a development assistant, for product documentation, and for research. */
export const spacePresets = {
  dev_copilot: {
    description: 'Personal development assistant: code, notes, solutions and conversations',
    acceptedTypes: ['code', 'note', 'solution', 'conversation', 'snippet'],
    qualityThreshold: 0.3,
    retentionDays: 365,
    maxSizeMb: 1_000,
    dailyBudgetUsd: 1,
    monthlyBudgetUsd: 10,
    embeddingModel: 'gemini-embedding-001',
    llmModel: 'gemini-2.5-flash',
    routingStrategy: 'rule_based',
    temporalDecayRate: 0.8,
    dedupStrategy: 'exact',
    metadataSchema: metadata({
      content_type: text,
      language: text,
      project: text,
      file_path: text,
      topic: text,
      complexity: oneOf('simple', 'intermediate', 'advanced'),
      success_count: count,
      failure_count: count,
      tags: { type: 'array', items: text },
    }),
  },
  salesforce: {
    description: 'Salesforce documentation, guides, API references, release notes and best practices',
    acceptedTypes: ['documentation', 'tutorial', 'release_notes', 'best_practice', 'api_reference', 'guide'],
    qualityThreshold: 0.7,
    maxSizeMb: 10_000,
    dailyBudgetUsd: 5,
    monthlyBudgetUsd: 50,
    embeddingModel: 'gemini-embedding-001',
    llmModel: 'gemini-2.5-flash',
    routingStrategy: 'llm_based',
    temporalDecayRate: 0.2,
    versionTracking: true,
    citationTracking: true,
    dedupStrategy: 'semantic',
    semanticSimilarityThreshold: 0.92,
    autoIngest: true,
    metadataSchema: metadata({
      content_type: text,
      sf_version: text,
      sf_edition: oneOf('Enterprise', 'Unlimited', 'Professional', 'Developer'),
      sf_object: text,
      sf_feature: text,
      doc_category: oneOf('admin_guide', 'dev_guide', 'api_ref', 'best_practice', 'tutorial'),
      source_url: { type: 'string', format: 'uri' },
      source_title: text,
      source_type: oneOf('official', 'community', 'blog'),
      last_updated: time,
      verified: { type: 'boolean' },
      citation_count: count,
      difficulty: oneOf(...difficulties),
    }),
  },
  research: {
    description: 'Research papers, technical articles, tutorials and news about machine learning',
    acceptedTypes: ['academic_paper', 'tutorial', 'article', 'news', 'blog_post'],
    qualityThreshold: 0.8,
    retentionDays: 180,
    maxSizeMb: 20_000,
    dailyBudgetUsd: 2,
    monthlyBudgetUsd: 30,
    embeddingModel: 'gemini-embedding-001',
    llmModel: 'gemini-2.5-flash',
    routingStrategy: 'llm_based',
    temporalDecayRate: 0.5,
    citationTracking: true,
    dedupStrategy: 'semantic',
    semanticSimilarityThreshold: 0.9,
    autoIngest: true,
    metadataSchema: metadata({
      content_type: text,
      source_type: oneOf('arxiv', 'blog', 'news', 'tutorial', 'conference'),
      source_url: { type: 'string', format: 'uri' },
      author: text,
      publication_date: time,
      domain: text,
      subdomain: text,
      difficulty: oneOf(...difficulties, 'research'),
      citations: count,
      relevance_score: { type: 'number' },
      doi: text,
      arxiv_id: text,
      venue: text,
      implementation_available: { type: 'boolean' },
    }),
  },
} as const satisfies Readonly<Record<SpacePreset, SpaceConfigInput>>;
