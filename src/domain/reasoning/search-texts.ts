/** What each side of a search looks for, where that is not the query as it stands. */
export interface SearchTexts {
  /** Embedded, and compared with the memories' vectors. */
  readonly dense: string;
  /** Its words are looked for. Undefined: no words are, and meaning alone is compared. */
  readonly lexical: string | undefined;
}
