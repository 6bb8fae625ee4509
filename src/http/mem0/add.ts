import { z } from 'zod';
import { recordConversation } from '../../api/conversations/record-conversation.ts';
import { bulkStore, type BulkLine } from '../../api/memories/bulk-store.ts';
import { storeMemory } from '../../api/memories/store-memory.ts';
import type { ItemStream } from '../../api/operation.ts';
import { isBlank, jsonObject } from '../../domain/json.ts';
import { parseInput } from '../../domain/input/parse-input.ts';
import { invalid, Problem, problems, type ProblemCode } from '../../domain/problems.ts';
import { entityFields, entityNames, placeOf, type EntityIds } from './entities.ts';
import { expirationDate } from './fields.ts';
import { deletedAfter, expirationKey, metadataOf } from './memory.ts';
import { inMem0Terms } from './problems.ts';
import { bodyOf, type Handler } from './request.ts';
import { timeOf } from './times.ts';

const message = z.looseObject({
  role: z.string().default('user'),
  content: z.unknown().optional(),
  name: z.string().nullish(),
});

const body = z.looseObject({
  ...entityFields,
  messages: z.union(
    [
      z.string().transform((content) => [{ role: 'user', content, name: undefined }]),
      message.transform((one) => [one]),
      z.array(message).min(1, 'must have at least one message'),
    ],
    'must be a text, a message with role and content, or a list of such messages',
  ),
  filters: z.looseObject(entityFields).nullish(),
  metadata: jsonObject.nullish(),
  timestamp: z.union([z.string(), z.number()]).nullish(),
  expiration_date: expirationDate.nullish(),
  infer: z.boolean().nullish(),
});

/** Instructions of the program are not memories; mem0 skips them too. */
const skippedRoles = new Set(['system', 'developer']);

/**
 * `POST /v3/memories/add/`: stores each message verbatim as a memory of its own, in their order, unless one says the same already.
 * Messages without text are left out. Nothing is stored if one of them is refused. Where a language model is configured, the messages are a
 * conversation from which facts are drawn, unless `infer` is false.
 */
export const add: Handler = async (request) => {
  const {
    messages,
    metadata,
    timestamp,
    expiration_date: expiration,
    infer,
    ...rest
  } = await bodyOf(request, body);
  const place = placeOf(entitiesOf(rest, rest.filters));
  const session = request.session.inNameOf(place.scope.user);
  const occurredAt = timestamp == null ? undefined : timeOf(timestamp, 'timestamp');
  const expiresAt = expiration == null ? undefined : deletedAfter(expiration, new Date());
  const texts = messages.flatMap(({ role, content, name }, index) => {
    const text = textOf(content, `messages.${index}.content`);
    return skippedRoles.has(role) || isBlank(text) ? [] : [{ role, name, text, index }];
  });
  if (texts.length === 0 && messages.every(({ role }) => !skippedRoles.has(role)))
    throw invalid('messages', 'must have a message with text');
  const turns = texts.map(({ role, name, text, index }) => {
    const turn = {
      ...place,
      content: text,
      // Clients of mem0 are programs that remember what they saw.
      trust: { source: 'agent' },
      metadata: metadataOf(metadata, { role, actor_id: name, [expirationKey]: expiration }),
      ...(occurredAt !== undefined && { occurredAt }),
      ...(expiresAt !== undefined && { expiresAt }),
    };
    inMem0Terms({ content: `messages.${index}.content` }, () => parseInput(storeMemory.input, turn));
    return turn;
  });
  const isConversation = infer !== false && session.drawsFacts;
  const store = isConversation ? converse : () => storeAll(turns);
  const stored = turns.length === 0 ? [] : await store();
  await session.untilSearchable(stored.at(-1)?.position);
  const added = stored.filter(({ duplicate }) => !duplicate).length;
  return {
    results: stored.map(({ id, duplicate }, index) => {
      const { role, name, text } = texts[index]!;
      return {
        id,
        memory: text,
        event: duplicate ? 'NONE' : 'ADD',
        role,
        ...(name != null && { actor_id: name }),
      };
    }),
    status: 'SUCCEEDED',
    message: `Stored ${added} ${added === 1 ? 'memory' : 'memories'}${isConversation && added > 0 ? `; facts are drawn from ${added === 1 ? 'it' : 'them'}` : ''}.`,
  };

  async function converse(): Promise<Stored[]> {
    const { turns: ids, position } = await session.perform(recordConversation, {
      ...place,
      messages: texts.map(({ role, name, text }) => ({
        role,
        content: text,
        ...(name != null && { name }),
        ...(occurredAt !== undefined && { at: occurredAt }),
      })),
      metadata: metadataOf(metadata, { [expirationKey]: expiration }),
      trust: { source: 'agent' },
      ...(expiresAt !== undefined && { expiresAt }),
    });
    return ids.map(({ id }) => ({ id, position }));
  }

  async function storeAll(bodies: readonly unknown[]) {
    const { batches } = (await session.perform(bulkStore, { lines: linesOf(bodies) })) as ItemStream<Stored>;
    const lines: Stored[] = [];
    for await (const batch of batches) lines.push(...batch);
    const refused = lines.find(({ problem }) => problem !== undefined);
    if (refused) throw problemOf(refused.problem!);
    return lines;
  }
};

interface Stored {
  readonly id?: string;
  readonly position?: string;
  /** A memory said the same already; mem0 calls this `NONE`. */
  readonly duplicate?: true;
  readonly problem?: Readonly<Record<string, unknown>>;
}

/** The entities beside the messages, or else in `filters`, where the Python client also takes them. */
function entitiesOf(ids: EntityIds, filters: EntityIds | null | undefined): EntityIds {
  return Object.fromEntries(entityNames.map((name) => [name, ids[name] ?? filters?.[name]]));
}

const part = z.looseObject({ type: z.string(), text: z.string().optional() });
const content = z.union([z.string(), z.null(), z.undefined(), part, z.array(part)]);

/** The text of a message; of one in parts, its text parts. Throws if there are only images or files. */
function textOf(sent: unknown, path: string): string {
  const { data, success } = content.safeParse(sent);
  if (!success) throw invalid(path, 'must be a text, or a list of parts with a type');
  if (data === null || data === undefined) return '';
  if (typeof data === 'string') return data;
  const parts = [data].flat();
  const texts = parts.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []));
  if (parts.length > 0 && texts.length === 0)
    throw invalid(path, 'has no text; images and files are not read: describe them in words');
  return texts.join('\n');
}

async function* linesOf(bodies: readonly unknown[]): AsyncGenerator<BulkLine> {
  for (const [index, sent] of bodies.entries()) yield { line: index + 1, sent };
}

/** The lines of one request fail for the same reason, so the first problem is its answer. */
function problemOf({ code, detail }: Readonly<Record<string, unknown>>): Problem {
  const known =
    typeof code === 'string' && Object.hasOwn(problems, code) ? (code as ProblemCode) : 'internal';
  return new Problem(known, String(detail));
}
