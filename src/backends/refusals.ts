/** By name: their modules would load the clients of all servers. */
const refusals = new Set(['KafkaRefused', 'OpenSearchError', 'ServerRefusal', 'SqlError']);

/** Whether a server answered, and refused: other settings would help, and waiting would not. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Error && refusals.has(error.name);
}
