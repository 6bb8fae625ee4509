import type { Config } from '../config.ts';
import type { OutOfReach } from '../domain/erasure/receipt.ts';

/** The copies that an erasure cannot reach, for the profile and the services in use. */
export function outOfReach({ profile, embedder, languageModel }: Config): OutOfReach[] {
  const all: (OutOfReach | false)[] = [
    {
      what: 'names in clear',
      why: 'ids, layers, scopes and their names, users, actors, types, counts and times of events stay readable in the log, and so do keyed hashes',
    },
    {
      what: 'backups',
      why: 'a backup made before the erasure has the keys as well as the texts: delete it, or repeat the erasure after a restore from it',
    },
    { what: 'exports', why: 'what callers have read or exported is theirs' },
    { what: 'witnesses', why: 'they have the heads of the log: hashes, and nothing of a text' },
    profile !== 'embedded' && {
      what: 'write-ahead log of the database server',
      why: 'the server keeps it, and archives or replicates it, as it is set up to',
    },
    profile === 'cluster' && {
      what: 'copies of topics',
      why: 'consumers may have kept records. Those have only ciphertext, whose key is destroyed',
    },
    embedder.kind === 'openai' && {
      what: 'endpoint of the embedding model',
      why: 'it got the texts and questions to embed',
    },
    languageModel !== undefined && {
      what: 'endpoint of the language model',
      why: 'it got the questions and texts that it was asked about',
    },
  ];
  return all.filter((one) => one !== false);
}
