import type { Inspection } from '../../ports/inspection.ts';
import { Connection } from './connection.ts';
import { identityStream, receivedEvent } from './records.ts';
import { allReadRequest } from './requests.ts';

/** Number of records to inspect. Every log begins with system events; this many also include events of its users. */
const inspectedRecords = 500;
const shownStreams = 3;

/** The server's version. Rejects if the server does not answer or does not permit reads. */
export async function askKurrent(connectionString: string, answerMs: number): Promise<string> {
  return withConnection(connectionString, answerMs, versionOf);
}

/**
 * The server's version, and whether the log holds events of another program: streams whose category, the part before the first
 * `-`, is not in `categories`.
 */
export async function inspectKurrent(
  connectionString: string,
  categories: ReadonlySet<string>,
  answerMs: number,
): Promise<Inspection> {
  return withConnection(connectionString, answerMs, async (connection) => {
    const version = await versionOf(connection);
    const responses = await connection.read(
      allReadRequest({ from: 'start', backwards: false, count: inspectedRecords }),
    );
    const strange = new Set<string>();
    for (const { stream, type } of responses.map(receivedEvent).filter((event) => event !== undefined)) {
      if (stream.startsWith('$') || type.startsWith('$') || stream === identityStream) continue;
      if (!categories.has(stream.slice(0, Math.max(0, stream.indexOf('-'))))) strange.add(stream);
    }
    const some = [...strange].slice(0, shownStreams).join(', ');
    const missing =
      strange.size > 0
        ? [
            `a log of its own: this one holds streams of another program (${some}${strange.size > shownStreams ? ', …' : ''})`,
          ]
        : [];
    return { version, missing, notes: [] };
  });
}

async function versionOf(connection: Connection): Promise<string> {
  const version = await connection.serverVersion();
  // Permission to query the version does not imply permission to read.
  await connection.read(allReadRequest({ from: 'end', backwards: true, count: 1 }));
  return `EventStoreDB or KurrentDB ${version}`;
}

async function withConnection<T>(
  connectionString: string,
  answerMs: number,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = new Connection(connectionString, answerMs);
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}
