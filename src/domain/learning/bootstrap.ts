import { defaultSettings, routes } from '../routing/settings.ts';
import type { Arm, LoggedDecision } from './logged-decision.ts';
import { typicalQuestions } from './typical-questions.ts';

/** Approximate number of tokens that each route spends on a question. */
const tokensOf: Readonly<Record<Arm, number>> = { standard: 20, decomposition: 156 };

/**
 * Synthetic decisions for a tenant that has none (requirement C6): each typical question by each route, with a good outcome if the
 * route fits the question and a bad one if not. They are marked, and never evidence.
 */
export function bootstrapDecisions(threshold: number): readonly LoggedDecision[] {
  return typicalQuestions.flatMap(({ features }, index) =>
    routes.map((taken): LoggedDecision => {
      const fits = features['score']! >= defaultSettings.threshold === (taken === 'decomposition');
      return {
        searchId: `bootstrap-${String(index).padStart(2, '0')}-${taken}`,
        principal: 'bootstrap',
        features: { ...features, threshold },
        arms: routes,
        propensities: routes.map(() => 1 / routes.length),
        incumbent: taken,
        taken,
        policyVersion: 'bootstrap',
        evaluation: false,
        outcome: fits ? { kind: 'used', quality: 1, explicit: false } : { kind: 'ignored', explicit: false },
        tokens: tokensOf[taken],
        bootstrap: true,
      };
    }),
  );
}
