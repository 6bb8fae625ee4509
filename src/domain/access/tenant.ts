import { z } from 'zod';
import { systemTenant } from './context.ts';

/** Excludes `-` and `.`, which separate the parts of stream names. */
const tenantPattern = /^[a-z0-9_]{1,63}$/;

/** A tenant id that a credential can name. */
export const tenantSchema = z
  .string()
  .regex(tenantPattern, 'must match [a-z0-9_]{1,63}')
  .refine((tenant) => tenant !== systemTenant, 'is reserved for the system');
