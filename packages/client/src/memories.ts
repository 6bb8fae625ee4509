import type * as api from './api-types.ts';
import { storeAll, type BulkMemory } from './bulk.ts';
import type { CallOptions, ChangeOptions, CommandOptions } from './options.ts';
import { PagedList } from './paged-list.ts';
import { path } from './request.ts';
import type { LineSource } from './request-body.ts';
import type { Transport } from './transport.ts';

/** One version of a memory. */
export type MemoryVersion = api.MemoryHistoryAnswer['items'][number];

/** The types of links between memories. */
export type LinkType = Extract<api.HopPath['steps'][number], { via: 'link' }>['type'];

/** `/v1/memories`. */
export class Memories {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Store a memory. */
  store(memory: api.StoreMemory, options?: CommandOptions): Promise<api.StoredAnswer> {
    return this.#transport.call(
      { method: 'POST', path: '/v1/memories', body: memory, changes: true },
      options,
    );
  }

  /** Store a memory under an external id, or replace the one that has it. */
  put(
    externalId: string,
    memory: api.PutMemory,
    options: ChangeOptions & {
      /** `*`: fail if a memory with this external id exists. */
      readonly ifNoneMatch?: '*' | undefined;
    } = {},
  ): Promise<api.StoredAnswer> {
    const { ifNoneMatch, ...rest } = options;
    return this.#transport.call(
      {
        method: 'PUT',
        path: path`/v1/memories/external/${externalId}`,
        body: memory,
        changes: true,
        ...(ifNoneMatch && { headers: { 'if-none-match': ifNoneMatch } }),
      },
      rest,
    );
  }

  /**
   * Store many memories in one request. Yields the result of each, in order; a memory that is refused does not stop the
   * others. Arrays and functions that return the memories are sent again when the connection is lost.
   */
  bulk(memories: LineSource<BulkMemory>, options?: CommandOptions): AsyncGenerator<api.BulkLine> {
    return storeAll(this.#transport, memories, options);
  }

  /** The memories that the caller may see, newest first. `await` returns one page, `for await` iterates over all. */
  list(
    query: api.ListMemoriesQuery = {},
    options?: CallOptions,
  ): PagedList<api.Memory, api.ListMemoriesAnswer> {
    return new PagedList((page) => {
      const asked = { ...query, ...page };
      return this.#transport.call(
        { method: 'GET', path: '/v1/memories', query: asked, reads: 'query' },
        options,
      );
    }, query);
  }

  /** Get a memory; with `asOf`, as it was at a position or a time. */
  get(id: string, query: api.GetMemoryQuery = {}, options?: CallOptions): Promise<api.Memory> {
    return this.#transport.call(
      { method: 'GET', path: path`/v1/memories/${id}`, query, reads: 'query' },
      options,
    );
  }

  /** Change a memory by a JSON merge patch: `null` deletes a key, lists are replaced. `ifMatch` is `*` by default. */
  update(id: string, patch: api.UpdateMemory, options: ChangeOptions = {}): Promise<api.MemoryAnswer> {
    return this.#transport.call(
      { method: 'PATCH', path: path`/v1/memories/${id}`, body: patch, changes: true },
      { ...options, ifMatch: options.ifMatch ?? '*' },
    );
  }

  /** Delete a memory. It can be restored until its `retentionUntil`. */
  delete(id: string, options?: ChangeOptions): Promise<api.MemoryAnswer> {
    return this.#transport.call({ method: 'DELETE', path: path`/v1/memories/${id}`, changes: true }, options);
  }

  /**
   * Destroy the content of a memory for good; for admins. `files` says when the files of the database are rewritten; the receipt of the
   * answer says when that is done.
   */
  erase(
    id: string,
    { files, ...options }: ChangeOptions & { readonly files?: 'scheduled' | 'immediately' | undefined } = {},
  ): Promise<Extract<api.DeleteMemoryAnswer, { memory: { state: 'erased' } }>> {
    return this.#transport.call(
      {
        method: 'DELETE',
        path: path`/v1/memories/${id}`,
        query: { mode: 'erase', ...(files && { files }) },
        changes: true,
      },
      options,
    );
  }

  /** Undo a deletion. */
  restore(id: string, options?: ChangeOptions): Promise<api.MemoryAnswer> {
    return this.#transport.call(
      { method: 'POST', path: path`/v1/memories/${id}/restore`, changes: true },
      options,
    );
  }

  /** Take a memory out of searches, contexts and summaries. */
  archive(id: string, options?: ChangeOptions): Promise<api.MemoryAnswer> {
    return this.#transport.call(
      { method: 'POST', path: path`/v1/memories/${id}/archive`, changes: true },
      options,
    );
  }

  /** Make an archived memory active again. */
  unarchive(id: string, options?: ChangeOptions): Promise<api.MemoryAnswer> {
    return this.#transport.call(
      { method: 'POST', path: path`/v1/memories/${id}/unarchive`, changes: true },
      options,
    );
  }

  /** All versions of a memory, oldest first. `await` returns one page, `for await` iterates over all. */
  history(
    id: string,
    query: api.MemoryHistoryQuery = {},
    options?: CallOptions,
  ): PagedList<MemoryVersion, api.MemoryHistoryAnswer> {
    return new PagedList(
      (page) =>
        this.#transport.call(
          {
            method: 'GET',
            path: path`/v1/memories/${id}/history`,
            query: { ...query, ...page },
            reads: 'query',
          },
          options,
        ),
      query,
    );
  }

  /** Where content of a memory, or what was derived from it, is held; 0 everywhere after its erasure. For admins. */
  surfaces(
    id: string,
    query: api.MemorySurfacesQuery = {},
    options?: CallOptions,
  ): Promise<api.MemorySurfacesAnswer> {
    return this.#transport.call(
      { method: 'GET', path: path`/v1/memories/${id}/surfaces`, query, reads: 'query' },
      options,
    );
  }

  /** Memories that links lead to, in both directions, nearest first. */
  related(
    id: string,
    query: api.RelatedMemoriesQuery = {},
    options?: CallOptions,
  ): Promise<api.RelatedMemoriesAnswer> {
    return this.#transport.call(
      { method: 'GET', path: path`/v1/memories/${id}/related`, query, reads: 'query' },
      options,
    );
  }

  /** Link a memory to another, or change the confidence of the link. Returns the source. */
  link(
    id: string,
    type: LinkType,
    target: string,
    link: api.Link = {},
    options?: CommandOptions,
  ): Promise<api.LinkAnswer> {
    return this.#transport.call(
      {
        method: 'PUT',
        path: path`/v1/memories/${id}/links/${type}/${target}`,
        body: link,
        changes: true,
      },
      options,
    );
  }

  /** Remove a link. Returns the source. */
  unlink(id: string, type: LinkType, target: string, options?: CommandOptions): Promise<api.LinkAnswer> {
    return this.#transport.call(
      { method: 'DELETE', path: path`/v1/memories/${id}/links/${type}/${target}`, changes: true },
      options,
    );
  }

  /** Say how useful a memory was. */
  feedback(id: string, feedback: api.Feedback, options?: CommandOptions): Promise<api.GiveFeedbackAnswer> {
    return this.#transport.call(
      { method: 'POST', path: path`/v1/memories/${id}/feedback`, body: feedback, changes: true },
      options,
    );
  }

  /** Contradictions and supersessions among memories, with the reasons. */
  validate(request: api.Validate, options?: CallOptions): Promise<api.ValidateAnswer> {
    return this.#transport.call(
      { method: 'POST', path: '/v1/memories/validate', body: request, reads: 'body' },
      options,
    );
  }
}
