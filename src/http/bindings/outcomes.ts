import { endSession } from '../../api/outcomes/end-session.ts';
import { postOutcome } from '../../api/outcomes/post-outcome.ts';
import { bind } from '../binding.ts';

export const outcomeBindings = [
  bind(postOutcome, 'post', '/v1/searches/:searchId/outcome', {
    success: { status: 200, description: 'Recorded' },
  }),
  bind(endSession, 'post', '/v1/sessions/:id/end', {
    success: { status: 200, description: 'Ended' },
    rename: { id: 'sessionId' },
    textInPath: 'id',
    bodyOptional: true,
  }),
];
