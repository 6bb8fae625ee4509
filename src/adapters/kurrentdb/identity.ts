import type { Connection } from './connection.ts';
import { identityStream } from './records.ts';
import { readStream } from './stream-reader.ts';

/**
 * The id of this log, given at its first opening. It is the id of the only event of a stream of our own, so that it is
 * written once (whoever opens second finds it), travels with every copy and backup of the log, and needs neither rights
 * on system streams nor a second store. The id of the database that the server has itself is not told by its protocol,
 * and metadata of `$all` can be replaced by any operator.
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
