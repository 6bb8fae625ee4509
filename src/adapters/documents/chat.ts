import type { Block } from '../../domain/documents/content.ts';

type Turn = Extract<Block, { kind: 'turn' }>;

/** A conversation: its turns, and what is said about the whole. */
export interface Chat {
  readonly blocks: readonly Turn[];
  readonly title?: string;
  readonly occurredAt?: string;
}

type JsonObject = Readonly<Record<string, unknown>>;

const lists = [
  'messages',
  'conversation',
  'turns',
  'chat',
  'chat_messages',
  'history',
  'dialogue',
  'dialog',
  'transcript',
];
const names = [
  'name',
  'speaker',
  'author',
  'from',
  'sender',
  'user_name',
  'username',
  'display_name',
  'user',
];
const texts = ['content', 'text', 'message', 'body', 'parts', 'value', 'utterance'];
const times = [
  'at',
  'timestamp',
  'time',
  'date',
  'created_at',
  'createdAt',
  'create_time',
  'ts',
  'datetime',
  'sent_at',
  'when',
];
/** Of the records of a list, those that must be turns. */
const MOSTLY = 0.8;
/** What a model and who talks with it are called; a field `type` has all kinds of other words. */
const roles = new Set(['user', 'assistant', 'human', 'ai', 'bot', 'model', 'system', 'agent', 'customer']);
/** Turns of these are instructions to a model or data of its tools, which nobody said. */
const silent = new Set(['system', 'tool', 'function', 'developer']);

/**
 * Reads an export of a chat: a list of messages, an object with one (`messages`, `conversation`, `turns` …), or several such
 * objects. Knows the exports of ChatGPT, Claude, Slack, Discord and Telegram. `undefined` if the value is no conversation.
 */
export function readChat(value: unknown): Chat | undefined {
  if (Array.isArray(value)) return ofList(value) ?? ofConversations(value);
  if (!isObject(value)) return undefined;
  const turns = isObject(value['mapping']) ? ofMapping(value) : firstList(value);
  return turns && { ...turns, ...headOf(value, turns.blocks) };
}

/** A list of messages as they are said one after another. `isKnown`: its key says that it is one. */
function ofList(list: readonly unknown[], isKnown = false): Chat | undefined {
  const turns = list.filter(isObject).flatMap(turnOf);
  const speakers = list.filter(
    (each) => isObject(each) && speakerOf(each) !== undefined && rawText(each) !== undefined,
  ).length;
  if (list.length < 2 || speakers < MOSTLY * list.length || turns.length === 0) return undefined;
  if (!isKnown && !isExchange(turns) && !list.some((each) => isObject(each) && isRole(each['role'])))
    return undefined;
  return { blocks: inOrder(turns), ...headOf({}, turns) };
}

/** Records with names and texts are a conversation if their names come again, or if all have times. */
function isExchange(turns: readonly Turn[]): boolean {
  const speakers = new Set(turns.map(({ speaker }) => speaker));
  return speakers.size <= turns.length * 0.7 || turns.every(({ at }) => at !== undefined);
}

function isRole(value: unknown): boolean {
  return typeof value === 'string' && roles.has(value);
}

function firstList(value: JsonObject): Chat | undefined {
  for (const key of lists) {
    const list = value[key];
    const found = Array.isArray(list) ? ofList(list, true) : isObject(list) ? firstList(list) : undefined;
    if (found) return found;
  }
  return undefined;
}

/** Several conversations, one after another. */
function ofConversations(list: readonly unknown[]): Chat | undefined {
  const chats = list
    .filter(isObject)
    .map(readChat)
    .filter((chat) => chat !== undefined);
  if (chats.length === 0 || chats.length < MOSTLY * list.length) return undefined;
  const [first] = chats;
  const blocks = chats.flatMap((chat) => chat.blocks);
  return chats.length === 1 && first ? first : { blocks, ...headOf({}, blocks) };
}

/** ChatGPT keeps a tree of messages; the path from the current node to its root is what is shown. */
function ofMapping(value: JsonObject): Chat | undefined {
  const mapping = value['mapping'] as JsonObject;
  const leaf = Object.entries(mapping)
    .filter(([, node]) => isObject(node) && !hasChildren(node))
    .at(-1)?.[0];
  const path: unknown[] = [];
  const seen = new Set<string>();
  let at = typeof value['current_node'] === 'string' ? value['current_node'] : leaf;
  while (at !== undefined && !seen.has(at)) {
    seen.add(at);
    const node = mapping[at];
    if (!isObject(node)) break;
    path.unshift(node['message']);
    at = typeof node['parent'] === 'string' ? node['parent'] : undefined;
  }
  const turns = path.filter(isObject).flatMap(turnOf);
  return turns.length === 0 ? undefined : { blocks: turns };
}

function hasChildren(node: JsonObject): boolean {
  return Array.isArray(node['children']) && node['children'].length > 0;
}

function turnOf(message: JsonObject): readonly Turn[] {
  const speaker = speakerOf(message);
  const text = readableText(message);
  const role = message['role'] ?? (isObject(message['author']) ? message['author']['role'] : undefined);
  if (speaker === undefined || text === '' || (typeof role === 'string' && silent.has(role))) return [];
  const at = timeOf(message);
  return [{ kind: 'turn', speaker, text, ...(at !== undefined && { at }) }];
}

/** The name of who speaks, and the role if there is no name. */
function speakerOf(message: JsonObject): string | undefined {
  const profile = message['user_profile'];
  const candidates = [
    ...(isObject(profile) ? [profile['display_name'], profile['real_name'], profile['name']] : []),
    ...names.map((key) => nameIn(message[key])),
    message['role'],
    ...(isRole(message['type']) ? [message['type']] : []),
  ];
  const name = candidates.find((each) => typeof each === 'string' && each.trim() !== '');
  return typeof name === 'string' ? name.trim() : undefined;
}

function nameIn(value: unknown): unknown {
  if (!isObject(value)) return value;
  return ['nickname', 'display_name', 'name', 'username', 'global_name', 'role']
    .map((key) => value[key])
    .find((each) => typeof each === 'string' && each !== '');
}

function rawText(message: JsonObject): unknown {
  return texts.map((key) => message[key]).find((each) => each !== undefined && each !== null);
}

/** Line breaks stay, markup of Slack becomes readable. */
function readableText(message: JsonObject): string {
  const text = partsOf(rawText(message)).join('\n').trim();
  return 'ts' in message ? unmarked(text) : text;
}

/** Texts within lists of parts; pictures, calls of tools and their results have none. */
function partsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  // Parts of one line of Telegram: `["see ", { type: "link", text: "…" }]`.
  if (Array.isArray(value)) {
    const parts = value.map((each) => partsOf(each).join('\n'));
    const isInline = value.some((each) => typeof each === 'string') && value.some(isObject);
    return isInline ? [parts.join('')] : parts.filter((part) => part !== '');
  }
  if (!isObject(value)) return [];
  if (typeof value['type'] === 'string' && /tool|image|audio|thinking/.test(value['type'])) return [];
  return partsOf(value['text'] ?? value['parts'] ?? value['content'] ?? value['value']);
}

/** `<@U123|name>`, `<#C1|general>`, `<https://…|label>` and the escapes of Slack. */
function unmarked(text: string): string {
  return text
    .replaceAll(/<([@#!]?)([^<>|]+)\|([^<>]+)>/g, '$1$3')
    .replaceAll(/<([@#!]?[^<>|\s]+)>/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

function timeOf(message: JsonObject): string | undefined {
  return times.map((key) => instantOf(message[key])).find((time) => time !== undefined);
}

/** RFC 3339 from a text, or from seconds or milliseconds since 1970. A time without an offset counts as UTC. */
function instantOf(value: unknown): string | undefined {
  const number =
    typeof value === 'number'
      ? value
      : typeof value === 'string' && /^\d{10,13}(\.\d+)?$/.test(value)
        ? Number(value)
        : Number.NaN;
  if (number > 1e8 && number < 1e14) return new Date(number < 1e11 ? number * 1000 : number).toISOString();
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d/.test(value)) return undefined;
  const isZoned = /(?:Z|[+-]\d\d:?\d\d)$/i.test(value) || value.length === 10;
  const time = new Date(isZoned ? value : `${value.replace(' ', 'T')}Z`);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** Some exports have the newest message first. */
function inOrder(turns: readonly Turn[]): readonly Turn[] {
  const known = turns.flatMap(({ at }) => (at === undefined ? [] : [at]));
  const isReversed =
    known.length > 1 &&
    known.every((at, n) => n === 0 || at <= (known[n - 1] ?? '')) &&
    known[0] !== known.at(-1);
  return isReversed ? [...turns].reverse() : turns;
}

function headOf(value: JsonObject, turns: readonly Turn[]): Omit<Chat, 'blocks'> {
  const title = [value['title'], value['subject'], value['topic'], value['name']].find(
    (each) => typeof each === 'string' && each.trim() !== '',
  );
  const occurredAt = turns.find(({ at }) => at !== undefined)?.at ?? timeOf(value);
  return {
    ...(typeof title === 'string' && { title: title.trim() }),
    ...(occurredAt !== undefined && { occurredAt }),
  };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
