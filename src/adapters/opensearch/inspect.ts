import { errors, type Client } from '@opensearch-project/opensearch';
import type { Inspection } from '../../ports/inspection.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { OpenSearchError } from './errors.ts';

const least = { major: 2, minor: 19 } as const;
const testedMajor = 2;

/** Product and version; rejects with `LexicalIndexUnavailable` or `OpenSearchError`. */
export function askOpenSearch(options: ConnectionOptions, answerMs: number): Promise<string> {
  return withConnection(options, answerMs, async (client) => nameOf(await versionOf(client)));
}

/** Checks product and version, whether all shards are available, and whether this login may create indexes under `prefix`. */
export function inspectOpenSearch(
  options: ConnectionOptions,
  prefix: string,
  answerMs: number,
): Promise<Inspection> {
  return withConnection(options, answerMs, async (client) => {
    const version = await versionOf(client);
    const missing: string[] = [];
    const notes: string[] = [];
    const [major = 0, minor = 0] = version.number.split('.').map(Number);
    if (version.distribution !== 'opensearch') missing.push('OpenSearch: this is another product');
    else if (major < least.major || (major === least.major && minor < least.minor))
      missing.push(`OpenSearch ${least.major}.${least.minor} or later`);
    else if (major > testedMajor) notes.push(`tested with OpenSearch ${testedMajor} only`);
    const { body } = await client.cluster.health();
    if (body.status === 'red') missing.push('shards: the cluster is red, some of them are on no node');
    if (!(await mayCreate(client, `${prefix}.doctor`)))
      missing.push(`the right to create indexes named ${prefix}.* with their aliases`);
    return { version: nameOf(version), missing, notes };
  });
}

/** Requests an invalid index: with the right to create it the answer is 400, without it 403, and nothing is created. */
async function mayCreate(client: Client, index: string): Promise<boolean> {
  try {
    await client.indices.create({ index, body: { settings: { index: { number_of_shards: 0 } } } });
    return true;
  } catch (error) {
    if (error instanceof errors.ResponseError && error.statusCode === 400) return true;
    if (error instanceof errors.ResponseError && error.statusCode === 403) return false;
    throw error;
  }
}

interface Version {
  readonly distribution: string;
  readonly number: string;
}

async function versionOf(client: Client): Promise<Version> {
  const { body } = await client.info();
  // Elasticsearch reports no distribution.
  const { distribution = 'elasticsearch', number } = body.version as Partial<Version> & { number: string };
  return { distribution, number };
}

function nameOf({ distribution, number }: Version): string {
  return `${distribution === 'opensearch' ? 'OpenSearch' : distribution} ${number}`;
}

async function withConnection<T>(
  options: ConnectionOptions,
  answerMs: number,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const connection = new Connection({ ...options, answerTimeoutMs: answerMs });
  try {
    return await connection.ask(work);
  } catch (error) {
    if (error instanceof OpenSearchError && error.status === 401)
      throw new OpenSearchError(401, error.type, 'it does not accept this user and password');
    throw error;
  } finally {
    await connection.close();
  }
}
