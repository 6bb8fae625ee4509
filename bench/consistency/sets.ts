// Pairs of real memories of which it is known, or was labelled by reading, whether one contradicts or supersedes the other.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Statement } from '../../src/domain/consistency/statement.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import type { Scope } from '../../src/domain/layers.ts';
import { readDataSet, type Memory } from '../ranking/datasets.ts';

export interface LabelledSet {
  readonly name: string;
  /** Each is judged by itself. */
  readonly groups: readonly (readonly Statement[])[];
  readonly gold: {
    readonly pairs: ReadonlySet<string>;
    /** Whether every other pair is wrong; else those that were found are labelled by reading. */
    readonly complete: boolean;
  };
}

/** The same for both orders: a verdict that names the right two the wrong way round is counted by the label. */
export function keyOf(pair: readonly [string, string]): string {
  return [...pair].sort().join(' ');
}

export async function labelledSets(data: string): Promise<LabelledSet[]> {
  return [
    await proposals(data),
    await places(data),
    await reservations(data),
    await chats(data),
    await dialogues(data),
  ];
}

/** Records of proposals; which one replaces which is known of those that say it in their metadata. */
async function proposals(data: string): Promise<LabelledSet> {
  const { memories } = await readDataSet(data, 'orgmem');
  const records = memories.filter(({ id }) => id.endsWith('#0') && /^(?:pep|eip|kep):/.test(id));
  const byName = new Map(records.map((memory) => [memory.id.replace(/#0$/, ''), memory]));
  const gold = new Set<string>();
  for (const memory of records) {
    const { replaces = [], superseded_by: by = [] } = metadataOf(memory) as Record<string, string[]>;
    for (const number of [...replaces, ...by]) {
      const other = byName.get(`pep:${number}`);
      if (other) gold.add(keyOf([memory.id, other.id]));
    }
  }
  const groups = ['pep:', 'eip:', 'kep:'].map((prefix) =>
    records.filter(({ id }) => id.startsWith(prefix)).map(statementOf),
  );
  return { name: 'proposals', groups, gold: { pairs: gold, complete: false } };
}

/** All that stands in one place (a proposal, a team with its meetings), as if nothing but its place and time were known of it. */
async function places(data: string): Promise<LabelledSet> {
  const { memories } = await readDataSet(data, 'orgmem');
  const groups = new Map<string, Statement[]>();
  for (const memory of memories) {
    const { tenant, org, team, project } = memory.scope;
    const place = JSON.stringify([tenant, org, team, project]);
    groups.set(place, [...(groups.get(place) ?? []), { ...statementOf(memory), metadata: {} }]);
  }
  return { name: 'places', groups: [...groups.values()], gold: { pairs: new Set(), complete: false } };
}

interface Run {
  readonly id: string;
  readonly steps: readonly { readonly role: string; readonly tool?: string; readonly content?: string }[];
}

/** What tools told of reservations and customers during one call: the same one told later with other values is newer. */
async function reservations(data: string): Promise<LabelledSet> {
  const runs = (await readFile(path.join(data, 'trajectories', 'tau_airline.jsonl'), 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Run);
  const gold = new Set<string>();
  const groups = runs.map(({ id, steps }) => {
    const told = steps.flatMap(({ role, content }, index): Statement[] => {
      const metadata = role === 'tool' ? objectIn(content ?? '') : undefined;
      if (!metadata) return [];
      const occurredAt = new Date(index * 1_000).toISOString();
      return [{ id: `${id}:${index}`, content: content!, scope: { session: id }, metadata, occurredAt }];
    });
    for (const [index, left] of told.entries())
      for (const right of told.slice(index + 1))
        if (subjectOf(left) === subjectOf(right) && left.content !== right.content)
          gold.add(keyOf([left.id, right.id]));
    return told;
  });
  return { name: 'reservations', groups, gold: { pairs: gold, complete: true } };
}

function subjectOf({ id, metadata }: Statement): string {
  const named = metadata['reservation_id'] ?? metadata['email'];
  return typeof named === 'string' ? named : id;
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : undefined;
  } catch {
    return undefined;
  }
}

/** What people told an assistant; where it is known that they told it otherwise later. */
async function chats(data: string): Promise<LabelledSet> {
  const { memories, queries } = await readDataSet(data, 'beam-100k');
  const gold = new Set<string>();
  for (const { type, gold: ids } of queries) {
    if (type !== 'contradiction_resolution' && type !== 'knowledge_update') continue;
    if (ids.length === 2) gold.add(keyOf([ids[0]!, ids[1]!]));
  }
  return { name: 'chats', groups: groupsBy(memories, 'user'), gold: { pairs: gold, complete: false } };
}

/** Turns of dialogues, of which no contradictions are known. */
async function dialogues(data: string): Promise<LabelledSet> {
  const { memories } = await readDataSet(data, 'locomo');
  return {
    name: 'dialogues',
    groups: groupsBy(memories, 'user'),
    gold: { pairs: new Set(), complete: false },
  };
}

function groupsBy(memories: readonly Memory[], key: string): Statement[][] {
  const groups = new Map<string, Statement[]>();
  for (const memory of memories) {
    const name = memory.scope[key] ?? '';
    groups.set(name, [...(groups.get(name) ?? []), statementOf(memory)]);
  }
  return [...groups.values()];
}

function statementOf(memory: Memory): Statement {
  const { tenant: _, company: __, ...scope } = memory.scope;
  const occurredAt = memory.timestamp === undefined ? undefined : new Date(memory.timestamp).toISOString();
  return {
    id: memory.id,
    externalId: memory.id,
    content: memory.text,
    scope: scope as Scope,
    metadata: metadataOf(memory),
    ...(occurredAt !== undefined && { occurredAt }),
  };
}

function metadataOf({ metadata = {} }: Memory): JsonObject {
  return metadata;
}
