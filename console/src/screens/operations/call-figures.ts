import type { Sample } from './metrics.ts';

export interface CallFigures {
  /** Method and route. */
  readonly name: string;
  readonly count: number;
  /** Sum of the times until their answers began. */
  readonly seconds: number;
  /** Answers with 4xx. */
  readonly refused: number;
  /** Answers with 5xx. */
  readonly failed: number;
}

const none = { count: 0, seconds: 0, refused: 0, failed: 0 };

/** Answers by call, the most frequent first. */
export function callsOf(samples: readonly Sample[]): CallFigures[] {
  const calls = new Map<string, CallFigures>();
  for (const { name: metric, labels, value } of samples) {
    const isCount = metric === 'http_server_request_duration_count';
    if (!isCount && metric !== 'http_server_request_duration_sum') continue;
    const name = `${labels['http_request_method'] ?? ''} ${labels['http_route'] ?? 'other'}`;
    const before = calls.get(name) ?? { name, ...none };
    const status = labels['http_response_status_code'] ?? '';
    calls.set(
      name,
      isCount
        ? {
            ...before,
            count: before.count + value,
            refused: before.refused + (status.startsWith('4') ? value : 0),
            failed: before.failed + (status.startsWith('5') ? value : 0),
          }
        : { ...before, seconds: before.seconds + value },
    );
  }
  return [...calls.values()].filter(({ count }) => count > 0).toSorted((a, b) => b.count - a.count);
}
