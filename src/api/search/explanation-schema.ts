import { z } from 'zod';
import { routeChoiceSchema } from '../../domain/retrieval/route-choice.ts';
import { SearchPerformed } from '../../domain/retrieval/events.ts';
import { scoreParts } from '../../domain/ranking/score-parts.ts';
import { routeReasons } from '../../domain/routing/settings.ts';
import { leftOutReasons } from '../../queries/search/explained-candidates.ts';
import { maxExplained, purposes } from '../../queries/search/explanation.ts';
import { sourceKinds } from '../../queries/search/sources/candidate-source.ts';
import { shownTrajectory } from '../audit/shown-trajectory.ts';
import { spaceChoiceField } from './chosen-spaces.ts';
import { searchResultSchema, warningsSchema } from './fields.ts';

const milliseconds = z.number().nonnegative();

const source = z.enum(sourceKinds).meta({
  description:
    'What was compared. `dense`: vectors of whole texts. `passages`: vectors of passages. `lexical`: words. `space-model`: vectors by the model of a space. `scan`: each memory in turn, by all of these, for a search of the past',
});

const inPeriods = z.literal(true).optional().meta({
  description: 'Present if only memories from the times that the question names were compared',
});

const routingSchema = z
  .object({
    route: SearchPerformed.routing.shape.route.meta({
      description: 'Route of the results. `decomposition`: the question was divided into parts',
    }),
    reason: z.enum(routeReasons).meta({ description: 'Why this route was chosen' }),
    score: z.number().meta({ description: 'Complexity of the question, 0 to 1' }),
    threshold: z.number().meta({ description: 'Complexity from which a question counts as complex' }),
    signals: z
      .array(z.object({ name: z.string(), value: z.number(), weight: z.number() }))
      .meta({ description: 'Signals that the complexity is computed from' }),
    policyVersion: z.string().optional(),
    ...routeChoiceSchema.omit({ policyVersion: true }).partial().shape,
    trajectory: shownTrajectory.optional().meta({
      description: 'Plan and steps of the decomposition; also if it failed and a plain search answered',
    }),
  })
  .meta({ id: 'ExplainedRouting' });

const searchSchema = z
  .object({
    purpose: z.enum(purposes).meta({
      description:
        '`question`: the whole question. `part`: a part of a divided one. `successors`: memories that supersede what was found',
    }),
    text: z.string().meta({ description: 'Text that was compared' }),
    words: z.array(z.string()).meta({ description: 'Words of the text that were searched for' }),
    limit: z.int().meta({ description: 'Number of candidates that each source was asked for' }),
    candidates: z.int().meta({ description: 'Number of different memories that the sources found' }),
    sources: z
      .array(
        z.object({
          source,
          inPeriods,
          found: z.int(),
          durationMs: milliseconds.meta({
            description: 'Includes waiting for other sources of the search, which share its connection',
          }),
        }),
      )
      .meta({ description: 'In the order in which they answered' }),
    preparationMs: milliseconds.meta({
      description: 'Time for embedding the text and for counting what the filters allow',
    }),
    candidatesMs: milliseconds.meta({
      description: 'Time for finding the candidates and for reading what their scores depend on',
    }),
    rankingMs: milliseconds.meta({ description: 'Time for scoring and for reading the best memories' }),
  })
  .meta({ id: 'ExplainedSearch' });

const placed = z.object({
  search: z.int().meta({ description: 'Index in `searches`' }),
  source,
  inPeriods,
  rank: z.int().meta({ description: 'Rank among the hits of the source; 1 is the best' }),
});

const evidenceSchema = z
  .object({
    cosine: z.number().optional().meta({ description: 'Cosine of question and memory' }),
    nearest: z.object({ cosine: z.number(), luck: z.number() }).optional().meta({
      description:
        'Cosine of the nearest passage; `luck`: by how many standard deviations the best of so many passages exceeds their mean by chance',
    }),
    lexical: z.number().optional().meta({
      description: 'BM25 divided by the square root of the mass of the question',
    }),
    overlap: z
      .number()
      .meta({ description: 'How much of the question the memory contains word for word, 0 to 1' }),
    speaker: z.string().optional().meta({ description: 'How the speaker of a turn fits the question' }),
    dated: z.number().optional().meta({ description: 'How well its time fits the question, 0 to 2' }),
  })
  .meta({
    id: 'Evidence',
    description: 'Signals as measured; a signal that could not be measured is absent',
  });

const { memory, score, relevance, rank, passage, truncated, excerpt, moved, supersededBy } =
  searchResultSchema.shape;

const candidateSchema = z
  .object({
    memory,
    state: z.enum(['kept', 'left-out']).meta({ description: 'Whether it is a result' }),
    rank: rank.optional().meta({ description: 'Its rank among the results' }),
    reason: z.enum(leftOutReasons).optional().meta({
      description:
        'Why it was left out. `threshold`: its score is below the minimum of any result. `no-answer`: not even the best memory is likely enough to answer the question. `far-behind`: its score is too far below the best. `superseded`: another memory supersedes it. `duplicate`: a memory of a more specific layer says the same. `combination`: combining the parts of a divided question left it out. `top-k`: `topK` others are better',
    }),
    score,
    relevance,
    parts: z.array(z.object({ part: z.enum(scoreParts), logOdds: z.number() })).meta({
      description:
        'What the relevance is made of. The sum is its log-odds, ln(relevance / (1 − relevance)). `base`: the constant that every memory has. `dense`, `lexical`: meaning and words. `overlap`: it repeats or quotes the question. `speaker`, `time`: its speaker or time fits the question. `same-text`: its text is the question. `feedback`, `value`: feedback and use. `decay`: its age in its spaces. `conditions`: whether it meets the conditions of a divided question. Parts that are 0 are absent',
    }),
    evidence: evidenceSchema,
    ranks: z
      .array(placed)
      .meta({ description: 'Its rank in each source; a source that did not find it is absent' }),
    passage,
    truncated,
    excerpt,
    moved,
    supersededBy,
  })
  .meta({ id: 'ExplainedCandidate' });

export const explanationSchema = z
  .object({
    searchId: z.string(),
    position: z.string(),
    spaces: spaceChoiceField,
    durationMs: milliseconds.meta({ description: 'Duration of the search, including its explanation' }),
    embeddingModel: z
      .string()
      .optional()
      .meta({ description: 'Model that compared meaning; absent if none did' }),
    routing: routingSchema,
    cut: z
      .object({
        kind: z.enum(['focused', 'threshold']),
        leastScore: z.number().meta({
          description:
            'Least score of a result: the threshold, or, for a focused answer, a limit that depends on the best memory',
        }),
      })
      .optional()
      .meta({ description: 'Absent if the caller sees no memory at all' }),
    searches: z.array(searchSchema).meta({
      description: 'One for a simple question; for a divided one also those of its parts',
    }),
    candidates: z.array(candidateSchema).meta({
      description: `The results as \`POST /v1/search\` returns them, then what was left out, best first. At least the first ${maxExplained} candidates of each search are considered, and at most ${maxExplained} are shown unless there are more results`,
    }),
    warnings: warningsSchema,
  })
  .meta({ id: 'SearchExplanation' });
