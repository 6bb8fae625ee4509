import { useQuery } from '@tanstack/preact-query';
import { askedOf, type Asked } from '../../app/use-ask.ts';
import { useSession } from '../../app/session.tsx';
import { samplesOf, type Sample } from './metrics.ts';

/** What `/metrics` said, and when. */
export interface Metrics {
  /** Unix time in seconds. */
  readonly at: number;
  readonly samples: readonly Sample[];
}

const rolesWithMetrics = ['operator', 'auditor', 'admin'];

/** Whether the role sees the metrics of the process. They are no operation of the API, so `may` does not know them. */
export const useMaySeeMetrics = (): boolean => rolesWithMetrics.includes(useSession().who.role);

/** The metrics of the process that serves the console, which is one of possibly several. */
export function useMetrics(everyMs: number): Asked<Metrics> {
  const { id, fetch } = useSession();
  const enabled = useMaySeeMetrics();
  const query = useQuery<Metrics>({
    queryKey: [id, '/metrics'],
    enabled,
    refetchInterval: everyMs,
    queryFn: async ({ signal }) => {
      const answer = await fetch('/metrics', signal);
      if (!answer.ok) throw new Error(reasonOf(answer.status));
      return { at: Date.now() / 1_000, samples: samplesOf(await answer.text()) };
    },
  });
  return askedOf(query);
}

const reasonOf = (status: number): string =>
  status === 404
    ? 'This process serves its metrics on a port of their own (STRATALOG_METRICS_PORT), which a browser cannot read.'
    : `The metrics cannot be read: the server answered ${status}.`;
