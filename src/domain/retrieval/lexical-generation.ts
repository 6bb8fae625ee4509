const [inOpenSearch, inMemory] = ['/opensearch', '/memory'];

/** The variant of a lexical read model whose words are found in a lexical index, not in the database. */
export function inLexicalIndex(variant: string): string {
  return `${variant}${inOpenSearch}`;
}

/** The variant of one whose words are found in the memory of the process. */
export function withWordsInMemory(variant: string): string {
  return `${variant}${inMemory}`;
}

/** Whether a generation of this signature has its words in a lexical index. */
export function usesLexicalIndex(signature: string): boolean {
  return signature.endsWith(inOpenSearch);
}

/** Whether the words of a generation of this signature are found in the memory of the process. */
export function usesWordsInMemory(signature: string): boolean {
  return signature.endsWith(inMemory);
}

/** How the index names the documents of one generation of the read model. */
export function lexicalGeneration(generation: number): string {
  return `lexical-g${generation}`;
}
