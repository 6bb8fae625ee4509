/** An expected error: its message is shown without a stack trace. */
export function failure(message) {
  return Object.assign(new Error(message), { expected: true });
}
