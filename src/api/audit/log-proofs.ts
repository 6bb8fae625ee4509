import { z } from 'zod';
import { systemTenant, type TenantContext } from '../../domain/access/context.ts';
import { mustBePosition, parsePosition } from '../../domain/position.ts';
import { invalid, Problem } from '../../domain/problems.ts';
import { parseCheckpoint, type TreeHead } from '../../domain/tlog/checkpoint.ts';
import { MalformedNote, verifierKey } from '../../domain/tlog/note.ts';
import { tenantOfStream } from '../../domain/streams.ts';
import { text } from '../../domain/json.ts';
import { defaultLimit, pageFields } from '../fields.ts';
import { operation } from '../operation.ts';
import { checkpointExample, headsExample, proofExample, reportExample } from './examples.ts';
import { auditors } from './roles.ts';

export const auditCheckpoint = operation({
  name: 'auditCheckpoint',
  summary: 'Get the last signed head of the log, as a signed note (C2SP tlog-checkpoint)',
  area: 'Audit',
  input: z.strictObject({}),
  output: z.string(),
  examples: { input: {}, output: checkpointExample },
  access: auditors,
  async handle({ services: { proofs } }) {
    const output = await proofs.checkpoint();
    if (output === undefined) throw notSigned();
    return { output };
  },
});

export const auditHeads = operation({
  name: 'auditHeads',
  summary: 'List the signed heads of the log, newest first, with the key that verifies them',
  area: 'Audit',
  input: z.strictObject({ ...pageFields }),
  output: z.object({
    origin: z.string(),
    verifierKey: z.string().meta({ description: 'Verifier key (C2SP signed-note) of the present signer' }),
    items: z.array(
      z.object({
        size: z.int().meta({ description: 'Number of events' }),
        root: z.string().meta({ description: 'Root of the Merkle tree over them (RFC 6962), in base64' }),
        at: z.iso.datetime(),
        position: z.string(),
        note: z.string(),
      }),
    ),
    nextCursor: z.string().optional(),
  }),
  examples: { input: { limit: 1 }, output: headsExample },
  access: auditors,
  async handle({ input: { limit = defaultLimit, cursor }, services: { proofs, commands }, token }) {
    const { logId } = commands.store.log;
    const heads = await proofs.heads(
      limit,
      cursor === undefined ? undefined : parsePosition(logId, cursor, 'cursor'),
    );
    const items = heads.map(({ event: { data }, time, position }) => ({
      size: data.size,
      root: data.root,
      at: time.toISOString(),
      position: token(position),
      note: data.note,
    }));
    return {
      output: {
        origin: proofs.origin,
        verifierKey: verifierKey(proofs.verifiers[0]!),
        items,
        ...(items.length === limit && { nextCursor: items.at(-1)!.position }),
      },
    };
  },
});

export const proveEvent = operation({
  name: 'proveEvent',
  summary: 'Prove that an event is in the log, verifiable without this server (C2SP tlog-proof)',
  area: 'Audit',
  input: z.strictObject({ position: z.string() }),
  output: z.string(),
  examples: { input: { position: headsExample.items[0]!.position }, output: proofExample },
  access: auditors,
  audit: { what: 'proof of an event', when: 'always' },
  async handle({ caller, input, services: { proofs, commands } }) {
    const position = parsePosition(commands.store.log.logId, input.position, 'position', mustBePosition);
    const found = await proofs.find(position);
    if (!found) {
      if (position > (await commands.store.log.head()))
        throw new Problem('not-found', 'the log has no such position');
      throw notSigned();
    }
    const tenant = tenantOfStream(found.event.stream);
    if (tenant !== caller.tenant && tenant !== systemTenant) throw new Problem('not-found', 'no such event');
    const output = await proofs.prove(found);
    if (output === undefined) throw notSigned();
    return { output, read: { items: 1 } };
  },
});

export const verifyLog = operation({
  name: 'verifyLog',
  summary: 'Compare the whole log with everything that was signed, and with a head that you have kept',
  area: 'Audit',
  input: z.strictObject({
    against: text(20_000).optional().meta({
      description: 'A signed head (note) of this log that you have kept and that it must continue',
    }),
  }),
  output: z.object({
    state: z.enum(['sound', 'unsound']),
    events: z.int().meta({ description: 'Number of events checked' }),
    heads: z.int().meta({ description: 'Number of signed heads that the log agrees with' }),
    signed: z
      .object({ size: z.int(), root: z.string() })
      .optional()
      .meta({ description: 'The last signed head: what is behind it is not protected yet' }),
    first: z
      .object({
        position: z.string(),
        fault: z.enum(['changed', 'missing', 'shorter', 'forged-head', 'other-history', 'row']),
        detail: z.string(),
      })
      .optional()
      .meta({ description: 'The first place where the log is not what was signed' }),
  }),
  examples: { input: {}, output: reportExample },
  access: auditors,
  audit: { what: 'verification of the log', when: 'always' },
  async handle({ input: { against }, services: { proofs }, signal, token }) {
    const heads = against === undefined ? [] : [headOf(against, proofs.origin)];
    const { first, ...report } = await proofs.verify(heads, signal);
    return {
      output: { ...report, ...(first && { first: { ...first, position: token(first.position) } }) },
      read: { items: report.events },
    };
  },
});

function headOf(note: string, origin: string): TreeHead {
  try {
    const head = parseCheckpoint(note);
    if (head.origin !== origin)
      throw invalid('against', `is a head of ${head.origin}, and this log is ${origin}`);
    return head;
  } catch (error) {
    if (error instanceof MalformedNote) throw invalid('against', error.message);
    throw error;
  }
}

function notSigned(): Problem {
  return new Problem('not-signed-yet', 'no signed head covers it yet', { retryAfter: 60 });
}

/** Whether the caller may read the entries of these streams: only auditors of all the tenants in them. */
export function mayReadEntries(caller: TenantContext, streams: readonly string[]): boolean {
  return streams.every((stream) => [caller.tenant, systemTenant].includes(tenantOfStream(stream)));
}
