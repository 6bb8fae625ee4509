import type { ModelCalled } from '../domain/retrieval/model-call.ts';
import type { ModelCall } from './observed-language-model.ts';

/** The event of a call; none if no request was sent. */
export function modelCalled(call: ModelCall, searchId: string): ModelCalled[] {
  const { role, purpose, outcome, usage, durationMs } = call;
  if (usage.requests === 0) return [];
  const data = {
    searchId,
    purpose,
    role,
    outcome,
    ...usage,
    durationMs: Math.round(durationMs * 100) / 100,
  };
  return [{ type: 'LanguageModelCalled', data }];
}
