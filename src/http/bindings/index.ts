import type { Binding } from '../binding.ts';
import { administrationBindings } from './administration.ts';
import { conversationBindings, factBindings } from './conversations.ts';
import { memoryBindings } from './memories.ts';
import { outcomeBindings } from './outcomes.ts';
import { queryBindings } from './queries.ts';
import { reasoningBindings } from './reasoning.ts';
import { documentBindings } from './documents.ts';
import { duplicateBindings } from './duplicates.ts';
import { sourceBindings } from './sources.ts';
import { spaceBindings } from './spaces.ts';
import { summaryBindings } from './summaries.ts';
import { trustBindings } from './trust.ts';

/** Every operation below /v1: what is served and what the OpenAPI document shows. */
export const bindings: readonly Binding[] = [
  ...memoryBindings,
  ...documentBindings,
  ...sourceBindings,
  ...conversationBindings,
  ...queryBindings,
  ...reasoningBindings,
  ...outcomeBindings,
  ...summaryBindings,
  ...spaceBindings,
  ...duplicateBindings,
  ...trustBindings,
  ...administrationBindings,
  ...factBindings,
];
