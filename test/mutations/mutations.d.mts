/** A deliberate defect. */
export interface Mutation {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  readonly tests: readonly string[];
  readonly servers?: boolean;
}

export const mutations: readonly Mutation[];
