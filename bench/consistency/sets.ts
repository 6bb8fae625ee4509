// Pairs of real memories with known or manually labelled contradictions and supersessions.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ComparableMemory } from '../../src/domain/consistency/comparable-memory.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import type { Scope } from '../../src/domain/layers.ts';
import { readDataSet, type Memory } from '../ranking/datasets.ts';

export interface LabelledSet {
  readonly name: string;
  /** Each group is judged separately. */
  readonly groups: readonly (readonly ComparableMemory[])[];
  readonly gold: {
    readonly pairs: ReadonlySet<string>;
    /** Whether every other pair is wrong. If not, found pairs are labelled manually. */
    readonly complete: boolean;
  };
}

/** The same key for both orders. A verdict with the right pair in the wrong order is counted by its label. */
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

/** Records of proposals. A replacement is known if the metadata states it. */
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

/** All memories of one place, such as a proposal or a team with its meetings, reduced to their place and time. */
async function places(data: string): Promise<LabelledSet> {
  const { memories } = await readDataSet(data, 'orgmem');
  const groups = new Map<string, ComparableMemory[]>();
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

/** Tool output about reservations and customers during one call. A later output about the same one with other values is newer. */
async function reservations(data: string): Promise<LabelledSet> {
  const runs = (await readFile(path.join(data, 'trajectories', 'tau_airline.jsonl'), 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Run);
  const gold = new Set<string>();
  const groups = runs.map(({ id, steps }) => {
    const told = steps.flatMap(({ role, content }, index): ComparableMemory[] => {
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

function subjectOf({ id, metadata }: ComparableMemory): string {
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

/** Statements that people made to an assistant, some of which are known to have changed later. */
async function chats(data: string): Promise<LabelledSet> {
  const { memories, queries } = await readDataSet(data, 'beam-100k');
  const gold = new Set<string>();
  for (const { type, gold: ids } of queries) {
    if (type !== 'contradiction_resolution' && type !== 'knowledge_update') continue;
    if (ids.length === 2) gold.add(keyOf([ids[0]!, ids[1]!]));
  }
  return { name: 'chats', groups: groupsBy(memories, 'user'), gold: { pairs: gold, complete: false } };
}

/** Turns of dialogues without known contradictions. */
async function dialogues(data: string): Promise<LabelledSet> {
  const { memories } = await readDataSet(data, 'locomo');
  return {
    name: 'dialogues',
    groups: groupsBy(memories, 'user'),
    gold: { pairs: new Set(), complete: false },
  };
}

function groupsBy(memories: readonly Memory[], key: string): ComparableMemory[][] {
  const groups = new Map<string, ComparableMemory[]>();
  for (const memory of memories) {
    const name = memory.scope[key] ?? '';
    groups.set(name, [...(groups.get(name) ?? []), statementOf(memory)]);
  }
  return [...groups.values()];
}

function statementOf(memory: Memory): ComparableMemory {
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
