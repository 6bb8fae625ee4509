/** An error whose message is all that its reader needs. */
export function failure(message) {
  return Object.assign(new Error(message), { expected: true });
}
