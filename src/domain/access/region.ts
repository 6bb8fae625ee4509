import type { Layer, Scope } from '../layers.ts';
import type { Visibility } from './visibility.ts';

/** What part of the tenant a read looks at: what the caller may see, narrowed by what it asks for. */
export interface Region {
  readonly tenant: string;
  readonly visibility: Visibility;
  readonly layers?: readonly Layer[];
  /** A memory has each of these values or lacks the key. */
  readonly scope?: Scope;
}
