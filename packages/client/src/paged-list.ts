/** One page of a list. */
export interface Page<Item> {
  readonly items: Item[];
  readonly nextCursor?: string;
}

interface PageQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

const largestPage = 500;

/**
 * A list that is requested when it is used: `await` returns one page, and `for await` iterates over all items, page by page. `cursor`
 * and `limit` (of a page) apply to both.
 */
export class PagedList<Item, Answer extends Page<Item> = Page<Item>>
  implements PromiseLike<Answer>, AsyncIterable<Item>
{
  readonly #load: (query: PageQuery) => Promise<Answer>;
  readonly #query: PageQuery;

  constructor(load: (query: PageQuery) => Promise<Answer>, query: PageQuery = {}) {
    this.#load = load;
    this.#query = query;
  }

  /** The first page. */
  page(): Promise<Answer> {
    return this.#load(this.#query);
  }

  // oxlint-disable-next-line unicorn/no-thenable -- awaiting the list answers its first page
  then<Fulfilled = Answer, Rejected = never>(
    fulfilled?: ((page: Answer) => Fulfilled | PromiseLike<Fulfilled>) | null,
    rejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.page().then(fulfilled, rejected);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    const { limit = largestPage } = this.#query;
    for (let { cursor } = this.#query; ;) {
      const page = await this.#load({ ...this.#query, limit, cursor });
      yield* page.items;
      cursor = page.nextCursor;
      if (cursor === undefined) return;
    }
  }

  /** All items. */
  async toArray(): Promise<Item[]> {
    const items: Item[] = [];
    for await (const item of this) items.push(item);
    return items;
  }
}
