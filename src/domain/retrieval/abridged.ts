import type { RetrievalEvent } from './events.ts';

/** In the `warnings` of an event that holds less than was asked or planned. */
const abridgedWarning = 'abridged';

/**
 * The same facts without what callers and plans make as long as they like: filters, plans, and the arguments of steps. What
 * was decided and found stays whole.
 */
export function abridged<Event extends RetrievalEvent>(event: Event): Event {
  switch (event.type) {
    case 'SearchPerformed': {
      const { filter: _, ...data } = event.data;
      return { ...event, data: { ...data, warnings: [...data.warnings, abridgedWarning] } };
    }
    case 'TrajectoryRecorded': {
      const { expansions: _, ...data } = event.data;
      const warnings = [...data.warnings, abridgedWarning];
      return { ...event, data: { ...data, plan: {}, arguments: data.steps.map(() => ({})), warnings } };
    }
    default:
      return event;
  }
}
