import { z } from 'zod';
import { defineEvent, type EventOf } from '../events/define.ts';
import { canonicalJson } from '../json.ts';
import { scopeKeys } from '../layers.ts';
import type { MemoryValue } from './memory.ts';

/**
 * The fact of a memory was told again. Kept in a stream beside the memory's own: the memory itself does not change, nor does its
 * revision. Each event has the totals, so the last one is all that a reader needs.
 */
export const MemoryAffirmed = defineEvent({
  type: 'MemoryAffirmed',
  category: 'memory',
  version: 1,
  routing: z.object({
    memoryId: z.string(),
    /** When it was last told. */
    affirmedAt: z.iso.datetime(),
    /** How often it was told again, this time included. */
    affirmations: z.int().positive(),
  }),
  sealed: z.object({}),
});

export type AffirmationEvent = EventOf<typeof MemoryAffirmed>;

/**
 * The memory is the one to affirm when its text is told again in its layer and scope. Each text has a stream, named by a keyed hash;
 * the last event says which memory has it. A memory that does not say this any more, or is erased, loses it to the next one.
 */
export const FactClaimed = defineEvent({
  type: 'FactClaimed',
  category: 'fact',
  version: 1,
  routing: z.object({ memoryId: z.string() }),
  sealed: z.object({}),
});

export type FactClaim = EventOf<typeof FactClaimed>;

/** How often and when a memory was told again. */
export type Affirmations = {
  readonly affirmations: number;
  readonly affirmedAt?: string;
};

export const neverAffirmed: Affirmations = { affirmations: 0 };

/** The totals after the last event of the stream; undefined if there is none. */
export function affirmationsAfter(last: AffirmationEvent | undefined): Affirmations {
  return last ? { affirmations: last.data.affirmations, affirmedAt: last.data.affirmedAt } : neverAffirmed;
}

/** The event of another telling at the time `told`. An earlier time counts, but does not move `affirmedAt` back. */
export function decideAffirmation(
  { memoryId, told }: { readonly memoryId: string; readonly told: string },
  { affirmations, affirmedAt }: Affirmations,
): AffirmationEvent {
  const latest = affirmedAt === undefined || told > affirmedAt ? told : affirmedAt;
  return {
    type: 'MemoryAffirmed',
    data: { memoryId, affirmedAt: latest, affirmations: affirmations + 1 },
  };
}

/**
 * When a fact was last told, as an ISO time in UTC: when it occurred, else when it was stored, or when it was told again if
 * that was later. Wherever the newer of two facts comes first, this is the time that is compared.
 */
export function lastToldAt({
  occurredAt,
  createdAt,
  affirmedAt,
}: {
  readonly occurredAt?: string | undefined;
  readonly createdAt: string;
  readonly affirmedAt?: string | undefined;
}): string {
  const told = occurredAt ?? createdAt;
  return affirmedAt !== undefined && affirmedAt > told ? affirmedAt : told;
}

/** A word whose case may matter: with a digit, or a capital after a small letter, as in passwords, codes and names of variables. */
const CASE_MATTERS = /\p{N}|\p{Ll}\p{Lu}/u;

/**
 * The form in which two texts are compared that may tell the same fact. It ignores differences of Unicode composition, of white
 * space, of case, and a full stop at the end; but not indentation, nor the case of a word where it may matter.
 */
export function toldForm(content: string): string {
  return content
    .normalize('NFC')
    .trim()
    .replace(/[.。]$/u, '')
    .trimEnd()
    .replaceAll(/\s+/g, (run) => (/\n[^\S\n]+$/.test(run) ? run.slice(run.lastIndexOf('\n')) : ' '))
    .replaceAll(/\S+/g, inOneCase);
}

function inOneCase(word: string): string {
  const lower = word.toLowerCase();
  return lower === word || CASE_MATTERS.test(word) ? word : lower;
}

/** What a memory may say beside its text. */
const extras = ['spaces', 'tags', 'metadata', 'representations'] as const;

/** How long a memory stays: one that stays longer or shorter is another memory. */
const lifetimes = ['expiresAt', 'retention'] as const;

export type Telling = Pick<
  MemoryValue,
  'content' | 'layer' | 'scope' | (typeof extras)[number] | (typeof lifetimes)[number]
>;

/** Layers whose facts are affirmed. The turns of a session are a protocol: what was said twice is kept twice. */
export function isAffirmable({ layer }: Pick<Telling, 'layer'>): boolean {
  return layer !== 'session';
}

/** Names the text in its layer and scope: equal for two tellings of the same fact. */
export function toldKey({ layer, scope, content }: Telling): string {
  return canonicalJson([layer, scopeKeys.map((key) => scope[key] ?? null), toldForm(content)]);
}

/** Names the text together with what the telling says beside it. */
export function detailedToldKey(telling: Telling, subject = ''): string {
  return canonicalJson([toldKey(telling), saidBeside(telling), subject]);
}

/**
 * Whether `telling` tells what the memory `first` holds already, or `more` about the same text: other tags, spaces, metadata or
 * representations. What it leaves out counts as the same.
 */
export function compareTelling(telling: Telling, first: Telling): 'same' | 'more' | 'other' {
  if (toldKey(telling) !== toldKey(first)) return 'other';
  if (lifetimes.some((field) => telling[field] !== first[field])) return 'more';
  const known = new Map(saidBeside(first));
  return saidBeside(telling).every(([field, said]) => known.get(field) === said) ? 'same' : 'more';
}

/** The extras that are not empty, and how long it stays, as canonical JSON; the order of tags and spaces does not matter. */
function saidBeside(telling: Telling): [string, string][] {
  const beside = extras.flatMap((field): [string, string][] => {
    const value = telling[field];
    const said = Array.isArray(value) ? [...(value as string[])].sort() : value;
    return Object.keys(said).length === 0 ? [] : [[field, canonicalJson(said)]];
  });
  const stays = lifetimes.flatMap((field): [string, string][] =>
    telling[field] === undefined ? [] : [[field, telling[field]]],
  );
  return [...beside, ...stays];
}
