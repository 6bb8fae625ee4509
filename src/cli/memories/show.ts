import { styleText } from 'node:util';
import { sectionText } from '../../domain/documents/source.ts';
import { preview, printable, printableLines } from '../output.ts';
import type { StoredMemory } from '../../../packages/client/src/index.ts';

/** A memory with all of its fields that are not empty, then its content. */
export function memoryText(memory: StoredMemory): string {
  const { externalId, scope, spaces, tags, metadata, occurredAt, retentionUntil, accessCount } = memory;
  const { expiresAt, retention } = memory;
  const rows: [string, string | undefined][] = [
    ['external id', externalId],
    ['document', memory.source && sectionText(memory.source)],
    ['scope', scopeText(scope)],
    ['spaces', listText(spaces)],
    ['tags', listText(tags)],
    ['trust', trustText(memory.trust)],
    ['metadata', Object.keys(metadata).length > 0 ? JSON.stringify(metadata) : undefined],
    ['representations', listText(Object.keys(memory.representations ?? {}))],
    ['occurred', occurredAt],
    ['created', `${memory.createdAt} by ${memory.createdBy}`],
    ['updated', memory.updatedAt === memory.createdAt ? undefined : memory.updatedAt],
    ['expires', expiresAt],
    ['retention', retention],
    ['told again', timesText(memory.affirmations, memory.affirmedAt)],
    ['restorable', retentionUntil && `until ${retentionUntil}`],
    ['accessed', timesText(accessCount, memory.lastAccessedAt)],
  ];
  const head = `${memory.id}  ${memory.layer}  revision ${memory.revision}  ${memory.state}`;
  return [styleText('bold', head), ...labelled(rows), '', printableLines(memory.content)].join('\n');
}

/** One memory in one line of a list. */
export function memoryLine({ id, externalId, content, layer, updatedAt }: StoredMemory): string {
  const name = externalId === undefined ? '' : `  ${styleText('dim', printable(externalId))}`;
  return `${id}  ${layer.padEnd(8)} ${updatedAt.slice(0, 16).replace('T', ' ')}  ${preview(content, 70)}${name}`;
}

/** Empty for what a user wrote and nobody doubts. */
function trustText({ source, state, flags, reviewedBy }: StoredMemory['trust']): string | undefined {
  if (source === 'user' && state === 'trusted' && flags.length === 0 && !reviewedBy) return undefined;
  return [state, `from ${source}`, ...flags, ...(reviewedBy ? [`reviewed by ${reviewedBy}`] : [])].join(', ');
}

function scopeText(scope: Readonly<Record<string, string>>): string {
  return Object.entries(scope)
    .map(([layer, name]) => `${layer} ${name}`)
    .join(', ');
}

function listText(items: readonly string[]): string | undefined {
  return items.length > 0 ? items.join(', ') : undefined;
}

function timesText(count: number, last: string | undefined): string | undefined {
  if (count === 0) return undefined;
  return `${count === 1 ? 'once' : `${count} times`}${last === undefined ? '' : `, last ${last}`}`;
}

const labelWidth = 16;

function labelled(rows: readonly (readonly [string, string | undefined])[]): string[] {
  return rows.flatMap(([label, value]) =>
    value === undefined ? [] : [`${styleText('dim', label.padEnd(labelWidth))}${printable(value)}`],
  );
}
