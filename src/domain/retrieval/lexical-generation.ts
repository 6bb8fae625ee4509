const suffix = '/opensearch';

/** The variant of a lexical read model whose words are found in a lexical index, not in the database. */
export function inLexicalIndex(variant: string): string {
  return `${variant}${suffix}`;
}

/** Whether a generation of this signature is such a one. */
export function usesLexicalIndex(signature: string): boolean {
  return signature.endsWith(suffix);
}

/** How the index names the documents of one generation of the read model. */
export function lexicalGeneration(generation: number): string {
  return `lexical-g${generation}`;
}
