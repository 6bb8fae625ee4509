import { pino, type DestinationStream, type Logger } from 'pino';
import type { Config } from '../config.ts';
import { currentPlace } from '../support/tracing.ts';

/** One JSON object per line, on standard output unless there is another destination. Neither secrets nor content are ever logged. */
export function createLogger(
  { logLevel, traces }: Pick<Config, 'logLevel' | 'traces'>,
  destination: DestinationStream = pino.destination(1),
): Logger {
  return pino(
    {
      name: 'stratalog',
      level: logLevel,
      serializers: { err: loggedError },
      redact: ['*.authorization', '*.headers'],
      ...(traces && { mixin: () => currentPlace() ?? {} }),
    },
    destination,
  );
}

/**
 * The logged fields of an error: type, message, code and stack, including those of its causes. Other fields may hold data
 * of a caller: a raw packet, the parameters of a statement, the headers of a request.
 */
export function loggedError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { type, message, code, stack } = pino.stdSerializers.err(error);
  return { type, message, ...(code !== undefined && { code: code as unknown }), stack };
}
