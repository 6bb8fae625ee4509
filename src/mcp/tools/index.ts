import { memoryGetRelated, memoryValidateConsistency } from './connections.ts';
import { memoryBuildContext } from './context.ts';
import {
  memoryGetReasoningHistory,
  memoryRecordReasoning,
  memorySearchWithExperience,
} from './experience.ts';
import { memoryFeedback } from './feedback.ts';
import { memoryIngest } from './ingest.ts';
import { memoryDelete, memoryGet, memoryUpdate } from './one-memory.ts';
import { memoryMultiHop, memorySearch } from './search.ts';
import { memoryStats } from './stats.ts';
import { memoryStore } from './store.ts';
import type { Tool } from './tool.ts';

/** All tools, in the order in which they are listed. */
export const tools: readonly Tool[] = [
  memorySearch,
  memoryBuildContext,
  memoryStore,
  memoryIngest,
  memoryGet,
  memoryUpdate,
  memoryDelete,
  memoryGetRelated,
  memoryMultiHop,
  memoryValidateConsistency,
  memoryFeedback,
  memoryGetReasoningHistory,
  memorySearchWithExperience,
  memoryRecordReasoning,
  memoryStats,
];
