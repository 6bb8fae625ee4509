import { z } from 'zod';

/** How much a summary says, shortest first. */
export const depths = ['sentence', 'paragraph', 'detailed'] as const;
export type Depth = (typeof depths)[number];

export const depthSchema = z.enum(depths);

/** Maximum number of tokens of a summary, marks included. */
export const tokensOfDepth: Readonly<Record<Depth, number>> = { sentence: 50, paragraph: 200, detailed: 500 };
