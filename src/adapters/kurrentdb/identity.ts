import type { Connection } from './connection.ts';
import { identityStream } from './records.ts';
import { readStream } from './stream-reader.ts';

/**
 * The id of this log, assigned when it is first opened. It is the id of the only event in a stream of its own. So it is written
 * only once (a second opener finds it), is part of every copy and backup of the log, and requires neither rights on system
 * streams nor a second store. The protocol does not expose the server's own database id, and any operator can replace the
 * metadata of `$all`.
 */
export async function identify(connection: Connection): Promise<string> {
  for (;;) {
    const [named] = await readStream(connection, identityStream, { from: 0, backwards: false, limit: 1 });
    if (named) return named.id;
    const id = crypto.randomUUID();
    await connection.append(identityStream, -1, [
      { id, type: 'LogIdentified', schemaVersion: 1, data: '{}', metadata: '{}' },
    ]);
  }
}
