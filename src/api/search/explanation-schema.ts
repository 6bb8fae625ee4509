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
    'What was compared. `dense`: vectors of whole texts. `passages`: vectors of passages. `lexical`: words. `space-model`: vectors by the model of a space. `scan`: all of it, one memory after the other, for a search of the past',
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
      .meta({ description: 'What the complexity is made of' }),
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
    words: z.array(z.string()).meta({ description: 'Its words that were searched for' }),
    limit: z.int().meta({ description: 'Number of candidates that each source was asked for' }),
    candidates: z.int().meta({ description: 'Number of different memories that the sources found' }),
    sources: z
      .array(
        z.object({
          source,
          inPeriods,
          found: z.int(),
          durationMs: milliseconds.meta({
            description: 'Sources of one search share a connection: one may wait for another',
          }),
        }),
      )
      .meta({ description: 'In the order in which they answered' }),
    preparationMs: milliseconds.meta({
      description: 'Embedding the text, and counting what the filters allow',
    }),
    candidatesMs: milliseconds.meta({ description: 'Finding the candidates and all that scores depend on' }),
    rankingMs: milliseconds.meta({ description: 'Scoring, and reading the best memories' }),
  })
  .meta({ id: 'ExplainedSearch' });

const placed = z.object({
  search: z.int().meta({ description: 'Index in `searches`' }),
  source,
  inPeriods,
  rank: z.int().meta({ description: 'Place among what the source found; 1 is the best' }),
});

const evidenceSchema = z
  .object({
    cosine: z.number().optional().meta({ description: 'Cosine of question and memory' }),
    nearest: z.object({ cosine: z.number(), luck: z.number() }).optional().meta({
      description: 'Cosine of the nearest passage, and by how much the best of so many is great by chance',
    }),
    lexical: z.number().optional().meta({
      description: 'BM25 divided by the square root of the mass of the question',
    }),
    overlap: z.number().meta({ description: 'How nearly the memory contains the question, 0 to 1' }),
    speaker: z.string().optional().meta({ description: 'How the speaker of a turn fits the question' }),
    dated: z.number().optional().meta({ description: 'How well its time fits the question, 0 to 2' }),
  })
  .meta({ id: 'Evidence', description: 'Signals as they were measured; absent ones could not be' });

const { memory, score, relevance, rank, passage, truncated, excerpt, moved, supersededBy } =
  searchResultSchema.shape;

const candidateSchema = z
  .object({
    memory,
    state: z.enum(['kept', 'left-out']).meta({ description: 'Whether it is a result' }),
    rank: rank.optional().meta({ description: 'Its rank among the results' }),
    reason: z.enum(leftOutReasons).optional().meta({
      description:
        'Why it was left out. `threshold`: it scores less than any result may. `no-answer`: not even the best surely answers the question. `far-behind`: it is too far behind the best. `superseded`: another memory supersedes it. `duplicate`: a memory of a more specific layer says the same. `combination`: the parts of a divided question were combined without it. `top-k`: enough others are better',
    }),
    score,
    relevance,
    parts: z.array(z.object({ part: z.enum(scoreParts), logOdds: z.number() })).meta({
      description:
        'What the relevance is made of: their sum is its log-odds, ln(relevance / (1 − relevance)). `base`: what a memory has without evidence. `dense`, `lexical`: meaning and words. `overlap`: it repeats or quotes the question. `speaker`, `time`: they fit. `same-text`: it is the question. `feedback`, `value`: by feedback and use. `decay`: by age in its spaces. `conditions`: what meeting or missing the conditions of a divided question makes of it. Parts that add nothing are absent',
    }),
    evidence: evidenceSchema,
    ranks: z
      .array(placed)
      .meta({ description: 'Where the sources placed it; a source that did not find it is absent' }),
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
    durationMs: milliseconds.meta({ description: 'Duration of the search, with its explanation' }),
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
            'Least score of a result: the threshold, or for a focused answer what the best memory allows',
        }),
      })
      .optional()
      .meta({ description: 'Absent if the caller sees no memory at all' }),
    searches: z.array(searchSchema).meta({
      description: 'One for a simple question; for a divided one also those of its parts',
    }),
    candidates: z.array(candidateSchema).meta({
      description: `The results in their order, as \`POST /v1/search\` returns them, then what was left out, best first: at least the first ${maxExplained} candidates of each search are considered, and at most ${maxExplained} are shown unless there are more results`,
    }),
    warnings: warningsSchema,
  })
  .meta({ id: 'SearchExplanation' });
