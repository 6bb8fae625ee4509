import { z } from 'zod';
import { systemTenant } from './context.ts';

/** Tenant ids leave `-` and `.` free as separators of stream names. */
const tenantPattern = /^[a-z0-9_]{1,63}$/;

/** A tenant that a credential may name. */
export const tenantSchema = z
  .string()
  .regex(tenantPattern, 'must match [a-z0-9_]{1,63}')
  .refine((tenant) => tenant !== systemTenant, 'is reserved for the program itself');
