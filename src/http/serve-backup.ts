import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { eventLine } from '../domain/backup/lines.ts';
import type { CopySource } from '../ports/log-copy.ts';

export const backupPrefix = '/backup/';

/**
 * Answers `stratalog backup` and `stratalog replay` on the socket in the data folder, and nowhere else: who can connect to it owns the
 * folder, and could as well stop the process and copy the files. So there is no credential for all tenants at once, and no address for it.
 */
export async function serveBackup(
  request: IncomingMessage,
  response: ServerResponse,
  openSource: () => Promise<CopySource>,
): Promise<void> {
  const url = new URL(request.url ?? '', 'http://socket');
  const number = (name: string): number => Number(url.searchParams.get(name));
  try {
    const source = await openSource();
    switch (url.pathname.slice(backupPrefix.length)) {
      case 'end': {
        const { root, ...end } = await source.end();
        return json(response, 200, { ...end, root: root.toString('base64') });
      }
      case 'root':
        return json(response, 200, { root: (await source.rootAt(number('size'))).toString('base64') });
      case 'position': {
        const position = await source.positionAt(new Date(number('time')));
        return json(response, 200, { position });
      }
      case 'events':
        return await lines(response, source.events(number('after'), number('to')), eventLine);
      case 'control':
        return await lines(response, source.control(), (record) => JSON.stringify(record));
      default:
        return json(response, 404, { detail: 'there is no such part of a backup' });
    }
  } catch (error) {
    // An answer that has begun ends without its end, which the reader notices.
    if (response.headersSent) response.destroy();
    else json(response, 500, { detail: (error as Error).message });
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function lines<Item>(
  response: ServerResponse,
  pages: AsyncIterable<readonly Item[]>,
  lineOf: (item: Item) => string,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  async function* texts(): AsyncGenerator<string> {
    for await (const items of pages) yield items.map((item) => `${lineOf(item)}\n`).join('');
  }
  await pipeline(Readable.from(texts()), response);
}
