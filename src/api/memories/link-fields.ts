import { z } from 'zod';
import { linkTypeSchema } from '../../domain/links/links.ts';
import { memorySchema } from '../../domain/memory/view.ts';
import { memoryIdField } from '../fields.ts';

/** A link is identified by its source, type and target. */
export const linkFields = { memoryId: memoryIdField, type: linkTypeSchema, target: z.string() };

export const linkAnswerSchema = z
  .object({ memory: memorySchema, position: z.string() })
  .meta({ id: 'LinkAnswer' });

export function linkPath({
  memoryId,
  type,
  target,
}: {
  memoryId: string;
  type: string;
  target: string;
}): string {
  return `/v1/memories/${memoryId}/links/${type}/${target}`;
}
