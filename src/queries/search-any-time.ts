import type { Past } from './past.ts';
import type { RoutedSearch } from './routing/routed-search.ts';
import { TooLargeToScan } from './search/as-of/scan.ts';

/**
 * Searches now and as of a position. A scan of what has changed since answers small scopes at once; for larger ones, read models of that
 * position are filled and searched like those of now.
 */
export class SearchAnyTime implements Pick<RoutedSearch, 'search'> {
  readonly #live: RoutedSearch;
  readonly #past: Past;

  constructor(live: RoutedSearch, past: Past) {
    this.#live = live;
    this.#past = past;
  }

  /** Rejects as `RoutedSearch.search` and `Past.at` do. */
  async search(
    ...[caller, asked, options]: Parameters<RoutedSearch['search']>
  ): ReturnType<RoutedSearch['search']> {
    const { asOf: position } = asked;
    if (position === undefined || !this.#past.has({ tenant: caller.tenant, position }))
      try {
        return await this.#live.search(caller, asked, options);
      } catch (error) {
        if (!(error instanceof TooLargeToScan)) throw error;
      }
    const { asOf, minPosition: _, waitMs, ...rest } = asked;
    return this.#past.at({ tenant: caller.tenant, position: asOf!, waitMs }, ({ search }) =>
      search.search(caller, { ...rest, asOf }, options),
    );
  }
}
