import { versionOf } from '../generation-variant.ts';

const [inOpenSearch, inMemory] = ['/opensearch', '/memory'];

/** The variant of a lexical read model that finds words in a lexical index outside of the database. */
export function inLexicalIndex(variant: string): string {
  return `${variant}${inOpenSearch}`;
}

/** The variant of a lexical read model that finds words in the memory of the process. */
export function withWordsInMemory(variant: string): string {
  return `${variant}${inMemory}`;
}

/** Whether a generation with this signature keeps its words in a lexical index. */
export function usesLexicalIndex(signature: string): boolean {
  return signature.endsWith(inOpenSearch);
}

/** Whether the process keeps the words of a generation with this signature in memory. */
export function usesWordsInMemory(signature: string): boolean {
  return signature.endsWith(inMemory);
}

/** The name of one generation of the read model in the lexical index. */
export function lexicalGeneration(generation: number): string {
  return `lexical-g${generation}`;
}

/** The first version of the read model whose index has the terms of texts (`termText`); those before have the texts themselves. */
const termsSince = 8;

/** The first version of the read model in a database that counts the documents of each part of a tenant. */
const partsSince = 9;

/** Whether a generation with this signature, whose words are not in memory, counts the documents of each part of a tenant. */
export function countsParts(signature: string): boolean {
  return versionOf(signature) >= partsSince;
}

/** Whether the index of a generation with this signature, in the database or outside of it, has terms instead of texts. */
export function indexesTerms(signature: string): boolean {
  return versionOf(signature) >= termsSince;
}
