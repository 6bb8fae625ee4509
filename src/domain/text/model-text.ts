import { z } from 'zod';
import { textFault } from '../json.ts';

/** What a language model may write: up to `longest` UTF-16 units, nothing that could not be kept. */
export function modelText(longest: number) {
  return z
    .string()
    .max(longest)
    .refine((value) => textFault(value) === undefined, 'holds what is no text');
}
