import type { Command } from 'commander';
import { Stratalog, StratalogError } from '../../packages/client/src/index.ts';

/** The server and the caller of a command, and how it prints. */
export interface Connection {
  readonly url: string;
  readonly key: string | undefined;
  /** The user that a key of role agent acts for. */
  readonly onBehalfOf?: string | undefined;
  readonly json: boolean;
}

/** The limit of `fetch` itself: some commands of operators take minutes. */
const maxCallMs = 300_000;
const defaultUrl = 'http://127.0.0.1:8080';

/** Reads the connection from the options, or else from the environment. An invalid value ends the command as a usage error. */
export function connectionOf(command: Command): Connection {
  const options = command.optsWithGlobals<{
    url?: string;
    key?: string;
    onBehalfOf?: string;
    json?: boolean;
  }>();
  // An empty variable counts as unset, as it does for the server.
  const key = options.key ?? (process.env['STRATALOG_API_KEY'] || undefined);
  if (key !== undefined && !/^[\x20-\x7e]+$/.test(key.trim()))
    command.error('error: --key (STRATALOG_API_KEY) must be an API key or a JWT, in visible ASCII');
  const url = options.url ?? (process.env['STRATALOG_URL'] || defaultUrl);
  if (!/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url))
    command.error(
      `error: --url (STRATALOG_URL) must be an http or https address such as ${defaultUrl}, not ${url}`,
    );
  return {
    url: url.replace(/\/+$/, ''),
    key,
    onBehalfOf: options.onBehalfOf ?? (process.env['STRATALOG_ON_BEHALF_OF'] || undefined),
    json: options.json ?? false,
  };
}

/** A client for a connection. Without a key it sends none, even if the environment has one. */
export function clientOf({ url, key = '', onBehalfOf }: Connection): Stratalog {
  return new Stratalog({ url, apiKey: key, onBehalfOf, timeoutMs: maxCallMs, fetch: fetchFrom(url) });
}

/** No server answers at this address, and none has answered this command before. */
export class ServerMissing extends StratalogError {
  override readonly name = 'ServerMissing';
}

/** Codes of errors that mean there is no server. After others, such as a reset or a time-out, there may be one. */
const missing = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', undefined]);

/** A fetch that fails for good if there is no server: a person waits only for one that is restarting. */
function fetchFrom(url: string): typeof fetch {
  let wasReached = false;
  return async (input, init) => {
    try {
      const response = await fetch(input, init);
      wasReached = true;
      return response;
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as { code?: string };
      if (wasReached || !missing.has(code)) throw error;
      throw new ServerMissing(`no Stratalog answers at ${url}`, { cause: error });
    }
  };
}

/** The client that the options or the environment name, and whether to print JSON. */
export function connect(command: Command): { readonly client: Stratalog; readonly json: boolean } {
  const connection = connectionOf(command);
  return { client: clientOf(connection), json: connection.json };
}
