import http, { type IncomingMessage } from 'node:http';
import { json, text } from 'node:stream/consumers';
import { socketIn } from '../adapters/folder-socket.ts';
import { parseEventLine } from '../domain/backup/lines.ts';
import type { RecordedEvent } from '../ports/event-log.ts';
import type { ControlRecord, CopySource, LogEnd } from '../ports/log-copy.ts';
import { BackupRefused } from './errors.ts';

/** A process that works sends something within this time. */
const silenceMs = 120_000;

/** Copies a log from the process that has its data folder open, over the socket in the folder. */
export class SocketSource implements CopySource {
  readonly #dataDir: string;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  async end(): Promise<LogEnd> {
    const end = (await json(await this.#get('end'))) as Omit<LogEnd, 'root'> & { readonly root: string };
    return { ...end, root: Buffer.from(end.root, 'base64') };
  }

  async rootAt(size: number): Promise<Buffer> {
    const { root } = (await json(await this.#get(`root?size=${size}`))) as { readonly root: string };
    return Buffer.from(root, 'base64');
  }

  async positionAt(time: Date): Promise<number> {
    const answer = await this.#get(`position?time=${time.getTime()}`);
    return ((await json(answer)) as { readonly position: number }).position;
  }

  async *events(after: number, upTo: number): AsyncGenerator<readonly RecordedEvent[]> {
    for await (const lines of linesOf(await this.#get(`events?after=${after}&to=${upTo}`)))
      yield lines.map((line) => parseEventLine(line) as RecordedEvent);
  }

  async *control(): AsyncGenerator<readonly ControlRecord[]> {
    for await (const lines of linesOf(await this.#get('control')))
      yield lines.map((line) => JSON.parse(line) as ControlRecord);
  }

  async #get(part: string): Promise<IncomingMessage> {
    const { file, dispose } = await socketIn(this.#dataDir);
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const request = http.get({ socketPath: file, path: `/backup/${part}`, timeout: silenceMs }, resolve);
        request.once('error', reject);
        request.once('timeout', () => request.destroy(new Error(`silent for ${silenceMs} ms`)));
      });
      if (response.statusCode === 200) return response;
      throw new BackupRefused(
        `the process that has ${this.#dataDir} open cannot be copied from (${response.statusCode}): ${(await text(response)).slice(0, 300)}`,
      );
    } catch (cause) {
      if (cause instanceof BackupRefused) throw cause;
      throw new BackupRefused(
        `the process that has ${this.#dataDir} open does not answer: try again when it has started, or stop it first`,
        { cause },
      );
    } finally {
      await dispose();
    }
  }
}

/** The lines of an answer in groups. Throws if it was cut off. */
async function* linesOf(answer: IncomingMessage): AsyncGenerator<readonly string[]> {
  let rest = '';
  try {
    for await (const chunk of answer.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop()!;
      if (lines.length > 0) yield lines;
    }
  } catch (cause) {
    throw new BackupRefused(
      'the process that has the data folder open ended, or its answer was cut off. Run the same command again: it continues',
      { cause },
    );
  }
}
