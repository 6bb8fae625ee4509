/** Texts for vector and word search that replace the query. */
export interface SearchTexts {
  /** Text that is embedded and compared with the memories' vectors. Undefined: only words are compared. */
  readonly dense: string | undefined;
  /** Text for the search by words. Undefined: only vectors are compared. */
  readonly lexical: string | undefined;
}
