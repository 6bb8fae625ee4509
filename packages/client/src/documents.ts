import type * as api from './api-types.ts';
import type { CallOptions, CommandOptions } from './options.ts';
import { PagedList } from './paged-list.ts';
import { path } from './request.ts';
import type { Transport } from './transport.ts';

/** A file to store: its bytes, or its text. */
export type DocumentFile = Omit<api.PostDocument, 'text' | 'base64'> &
  (
    | { readonly bytes: Uint8Array; readonly text?: undefined }
    | { readonly text: string; readonly bytes?: undefined }
  );

export interface DocumentOptions extends CommandOptions {
  /** How long to wait until the document is `ready` or `failed`, in milliseconds, at most 30,000. Default: 0 */
  readonly waitMs?: number | undefined;
}

/** `/v1/documents`: files whose sections are memories. */
export class Documents {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Store a file. Fails if its `externalId` is taken; `put` stores the next revision then. */
  add(file: DocumentFile, { waitMs, ...options }: DocumentOptions = {}): Promise<api.PostDocumentAnswer> {
    return this.#transport.call(
      { method: 'POST', path: '/v1/documents', query: { waitMs }, body: bodyOf(file), changes: true },
      options,
    );
  }

  /**
   * Store a file as the next revision of the document with this externalId. The same file again changes nothing. `movedFrom` is the
   * externalId that the document had before its file was renamed.
   */
  put(
    externalId: string,
    file: DocumentFile & { readonly movedFrom?: string | undefined },
    { waitMs, ...options }: DocumentOptions = {},
  ): Promise<api.PutDocumentAnswer> {
    const { externalId: _, ...body } = bodyOf(file);
    return this.#transport.call(
      {
        method: 'PUT',
        path: path`/v1/documents/external/${externalId}`,
        query: { waitMs },
        body,
        changes: true,
      },
      options,
    );
  }

  list(
    query: api.ListDocumentsQuery = {},
    options?: CallOptions,
  ): PagedList<api.Document, api.ListDocumentsAnswer> {
    return new PagedList((page) => {
      const asked = { ...query, ...page };
      return this.#transport.call(
        { method: 'GET', path: '/v1/documents', query: asked, reads: 'query' },
        options,
      );
    }, query);
  }

  get(id: string, query: api.GetDocumentQuery = {}, options?: CallOptions): Promise<api.GetDocumentAnswer> {
    return this.#transport.call(
      { method: 'GET', path: path`/v1/documents/${id}`, query, reads: 'query' },
      options,
    );
  }

  /** The memories of its sections, in the order of the document. */
  memories(
    id: string,
    query: api.DocumentMemoriesQuery = {},
    options?: CallOptions,
  ): PagedList<api.Memory, api.DocumentMemoriesAnswer> {
    return new PagedList((page) => {
      const asked = { ...query, ...page };
      return this.#transport.call(
        { method: 'GET', path: path`/v1/documents/${id}/memories`, query: asked, reads: 'query' },
        options,
      );
    }, query);
  }

  /** The text that was read from the file, as Markdown. */
  text(
    id: string,
    query: api.DocumentTextQuery = {},
    options?: CallOptions,
  ): Promise<api.DocumentTextAnswer> {
    return this.#transport.call(
      { method: 'GET', path: path`/v1/documents/${id}/text`, query, reads: 'query' },
      options,
    );
  }

  /** Soft-delete a document with the memories of its sections; with `mode: 'erase'`, erase it permanently. */
  delete(
    id: string,
    { mode, files, ...options }: CommandOptions & api.DeleteDocumentQuery = {},
  ): Promise<api.DeleteDocumentAnswer> {
    return this.#transport.call(
      { method: 'DELETE', path: path`/v1/documents/${id}`, query: { mode, files }, changes: true },
      options,
    );
  }

  /** Undo a soft deletion. */
  restore(id: string, options?: CommandOptions): Promise<api.RestoreDocumentAnswer> {
    return this.#transport.call(
      { method: 'POST', path: path`/v1/documents/${id}/restore`, body: {}, changes: true },
      options,
    );
  }

  /** Decide about its sections anew; those that were skipped for one of the accepted reasons are stored. */
  reprocess(
    id: string,
    request: api.ReprocessDocument = {},
    options?: CommandOptions,
  ): Promise<api.ReprocessDocumentAnswer> {
    return this.#transport.call(
      { method: 'POST', path: path`/v1/documents/${id}/reprocess`, body: request, changes: true },
      options,
    );
  }
}

function bodyOf({ bytes, ...rest }: DocumentFile): api.PostDocument {
  return bytes === undefined ? rest : { ...rest, base64: base64Of(bytes) };
}

/** Bytes that `String.fromCharCode` takes at once. */
const chunkBytes = 0x6000;

/** `btoa` exists in browsers and Node alike. */
function base64Of(bytes: Uint8Array): string {
  let text = '';
  // A multiple of three bytes has no padding, so the parts can be joined.
  for (let at = 0; at < bytes.length; at += chunkBytes)
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + chunkBytes)));
  return text;
}
