/** Compared by name, because importing the classes would load the clients of all servers. */
const refusals = new Set(['KafkaRefused', 'OpenSearchError', 'ServerRefusal', 'SqlError']);

/** Whether a server answered with a refusal: the settings must change, waiting does not help. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Error && refusals.has(error.name);
}
