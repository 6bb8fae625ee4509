import type { RetrievalEvent } from './events.ts';

/** Warning in an event that contains less than was asked or planned. */
const abridgedWarning = 'abridged';

/**
 * The same event without the parts that callers and plans can make arbitrarily long: filters, plans, and arguments of steps.
 * Decisions and results stay complete.
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
