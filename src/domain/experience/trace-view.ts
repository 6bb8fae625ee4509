import { z } from 'zod';
import { jsonObject } from '../json.ts';
import { layerSchema, scopeSchema } from '../layers.ts';
import type { RecordedTrace } from './events.ts';
import { allOutcomes, successFactorsSchema, traceOrigins } from './trace.ts';

/** A trace as callers see it. */
export const traceSchema = z
  .object({
    id: z.string(),
    query: z.string(),
    approach: z.string(),
    strategy: jsonObject.optional(),
    outcome: z.enum(allOutcomes).meta({
      description: '`pending`: the trace of a search whose outcome is not known yet',
    }),
    failureReason: z.string().optional(),
    successFactors: successFactorsSchema.optional(),
    memoriesUsed: z.array(z.string()).meta({
      description: 'Ids of the memories that the attempt worked with, as far as the caller can see them',
    }),
    memoriesHelpful: z.array(z.string()).optional(),
    executionTimeMs: z.number().optional(),
    model: z.string().optional(),
    layer: layerSchema,
    scope: z.object(scopeSchema.shape),
    space: z.string().optional(),
    sessionId: z.string().optional(),
    origin: z.enum(traceOrigins).meta({
      description: '`caller`: recorded by a caller. `search`: recorded by a search with experience',
    }),
    searchId: z.string().optional(),
    similarTo: z.object({ traceId: z.string(), similarity: z.number() }).optional().meta({
      description: 'The most similar earlier trace of the same scope',
    }),
    createdBy: z.string(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'ExperienceTrace' });

export type TraceView = z.infer<typeof traceSchema>;

/** A recorded trace as callers see it. How experience chose the parameters of a search is for the statistics of the tenant only. */
export function traceView(
  { traceId, memoryIds, helpfulIds, experience: _, ...trace }: RecordedTrace,
  { createdBy, createdAt }: { readonly createdBy: string; readonly createdAt: string },
): TraceView {
  return {
    id: traceId,
    ...trace,
    memoriesUsed: memoryIds,
    ...(helpfulIds && { memoriesHelpful: helpfulIds }),
    createdBy,
    createdAt,
  };
}
