import { ProblemError } from '@stratalog/client';

/** Statuses of refusals that another attempt may not get: the request was late, early, or one of too many. */
const passing: readonly number[] = [408, 425, 429];

/** Whether the server refuses a call for good: the same call would be refused again. */
export const isRefusal = (error: Error): boolean =>
  error instanceof ProblemError && error.status < 500 && !passing.includes(error.status);
