/**
 * What else than its version the rows of a generation depend on, out of its signature (`1/bge-small-…`): of vectors
 * the id of the model; empty where there is nothing else.
 */
export function variantOf(signature: string): string {
  const slash = signature.indexOf('/');
  return slash < 0 ? '' : signature.slice(slash + 1);
}
