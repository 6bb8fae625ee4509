/**
 * The variant in a generation's signature (`1/bge-small-…`): what its rows depend on besides the version of the
 * projection. For vectors it is the id of the model. Empty if the rows depend on nothing else.
 */
export function variantOf(signature: string): string {
  const slash = signature.indexOf('/');
  return slash < 0 ? '' : signature.slice(slash + 1);
}

/** The version of the projection that built a generation, from its signature. */
export function versionOf(signature: string): number {
  return Number.parseInt(signature, 10);
}
