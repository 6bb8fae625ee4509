import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { loadDocument } from '../../commands/documents/load-document.ts';
import { documentFields } from '../../commands/documents/file-to-receive.ts';
import { receiveDocument } from '../../commands/documents/receive-document.ts';
import { phaseOf, type DocumentState } from '../../domain/documents/document.ts';
import { documentStream } from '../../domain/streams.ts';
import { withoutTurn } from '../../support/request-scope.ts';
import type { CommandServices } from '../../commands/context.ts';
import { externalIdSchema } from '../../domain/layers.ts';
import { invalid, Problem } from '../../domain/problems.ts';
import { position } from '../example-values.ts';
import { positionField } from '../fields.ts';
import { writers } from '../memories/roles.ts';
import { operation, type Call, type Outcome } from '../operation.ts';
import { sourcePrefix } from '../../domain/sources/sources.ts';
import { documentSchema, documentView, type DocumentView } from './document-view.ts';
import { documentExample } from './examples.ts';

/** Bytes that a file may have. */
export const maxFileBytes = 64_000_000;

/** A file of a multipart body. */
export interface SentFile {
  readonly bytes: Uint8Array;
  readonly filename?: string | undefined;
  readonly mediaType?: string | undefined;
}

const bodyFields = {
  text: z.string().optional().meta({ description: 'The text of the document, instead of a file' }),
  base64: z.string().optional().meta({ description: 'The bytes of the file in base64' }),
  ...documentFields,
};

const otherFields = {
  /** The file of a multipart body. */
  file: z.custom<SentFile>().optional(),
  waitMs: z.int().min(0).max(30_000).optional().meta({
    description:
      'Maximum time to wait until the document is `ready` or `failed`, in milliseconds. Default: 0',
  }),
};

const postBody = z
  .strictObject({ ...bodyFields, externalId: externalIdSchema.optional() })
  .meta({ id: 'PostDocument' });
const putBody = z
  .strictObject({
    ...bodyFields,
    movedFrom: externalIdSchema.optional().meta({
      description: 'The externalId that the document had before its file was renamed',
    }),
  })
  .meta({ id: 'PutDocument' });

const answerSchema = z.object({ document: documentSchema, position: positionField });

export interface DocumentAnswer {
  readonly document: DocumentView;
  readonly position: string;
}

export const postDocument = operation({
  name: 'postDocument',
  summary: 'Store a file: its sections become memories',
  area: 'Documents',
  input: postBody.extend(otherFields),
  output: answerSchema,
  examples: {
    input: { text: '# Refunds\n\nRefunds take five days.', filename: 'handbook.md', layer: 'company' },
    output: { document: documentExample, position },
  },
  access: writers,
  command: {
    scope: () => ['POST', '/v1/documents'],
    arguments: postBody,
    variant: ({ file }) => (file ? hash('sha256', file.bytes, 'hex') : ''),
  },
  cost: () => documentCost,
  // Reading a large file has limits of its own.
  takesLong: true,
  handle: (call) => receive(call, { ...call.input, mayReplace: false }),
});

export const putDocument = operation({
  name: 'putDocument',
  summary: 'Store a file as the next revision of the document with this externalId',
  area: 'Documents',
  input: putBody.extend({ ...otherFields, externalId: externalIdSchema }),
  output: answerSchema,
  examples: {
    input: {
      externalId: 'handbook.md',
      text: '# Refunds\n\nRefunds take five days.',
      filename: 'handbook.md',
      layer: 'company',
    },
    output: { document: documentExample, position },
  },
  access: writers,
  command: {
    scope: ({ externalId }) => ['PUT', `/v1/documents/external/${externalId}`],
    arguments: putBody,
    variant: ({ file }) => (file ? hash('sha256', file.bytes, 'hex') : ''),
  },
  cost: () => documentCost,
  // Reading a large file has limits of its own.
  takesLong: true,
  handle: (call) => receive(call, { ...call.input, mayReplace: true }),
});

/** Work of recording a file, in units of a plain search. Another process reads it. */
const documentCost = 1;

type Input = Omit<z.output<typeof postBody>, 'externalId'> & {
  readonly externalId?: string | undefined;
  readonly file?: SentFile | undefined;
  readonly waitMs?: number | undefined;
  readonly movedFrom?: string | undefined;
  readonly mayReplace: boolean;
};

async function receive(
  { caller, context, services, signal, token }: Call<unknown>,
  { text, base64, file, waitMs = 0, ...fields }: Input,
): Promise<Outcome<DocumentAnswer>> {
  for (const field of ['externalId', 'movedFrom'] as const)
    if (fields[field]?.startsWith(sourcePrefix))
      throw invalid(
        field,
        `must not begin with ${sourcePrefix}: such names are those of documents of sources`,
      );
  const bytes = bytesOf({ text, base64, file });
  const { filename = file?.filename, mediaType = file?.mediaType ?? typeOf(text, fields.filename) } = fields;
  const received = await receiveDocument(
    {
      services: services.commands,
      reader: services.documentReader,
      route: (...asked) => services.contentRouter.route(...asked),
      trustSource: 'document',
      signal,
    },
    context,
    { ...fields, filename, mediaType, bytes },
  );
  const state = await untilDone(services.commands, { caller, signal }, received.state, waitMs);
  return {
    output: { document: documentView(caller, state), position: token(received.position) },
    replayed: received.replayed,
    isNew: received.isNew,
  };

  function typeOf(sent: string | undefined, named: string | undefined): string | undefined {
    return sent !== undefined && named === undefined ? 'text/markdown' : undefined;
  }
}

/** Throws unless exactly one of the fields has the file. */
function bytesOf({ text, base64, file }: Pick<Input, 'text' | 'base64' | 'file'>): Uint8Array {
  const given = [text, base64, file].filter((each) => each !== undefined);
  if (given.length !== 1)
    throw new Problem(
      'validation-failed',
      'send the document as one of `text`, `base64` and a multipart `file`',
      {
        errors: [{ path: 'text', message: 'send one of text, base64 and file' }],
      },
    );
  const bytes = file?.bytes ?? (base64 === undefined ? Buffer.from(text!) : decode(base64));
  if (bytes.length > maxFileBytes)
    throw new Problem('document-too-large', `a file may have at most ${maxFileBytes} bytes`);
  return bytes;
}

function decode(base64: string): Buffer {
  if (/[^A-Za-z0-9+/=_\s-]/.test(base64)) throw invalid('base64', 'must be base64');
  return Buffer.from(base64, 'base64');
}

const firstPauseMs = 20;
const maxPauseMs = 500;

/** Waits until the sections are stored or the time is over, and returns the document. Other requests may take its turn meanwhile. */
async function untilDone(
  services: Pick<CommandServices, 'store'>,
  { caller, signal }: Pick<Call<unknown>, 'caller' | 'signal'>,
  state: DocumentState,
  waitMs: number,
): Promise<DocumentState> {
  if (waitMs === 0 || phaseOf(state) !== 'processing') return state;
  const { documentId } = state.place;
  const stream = documentStream(caller.tenant, documentId);
  const deadline = performance.now() + waitMs;
  let latest = state;
  await withoutTurn(async () => {
    for (
      let pauseMs = firstPauseMs;
      phaseOf(latest) === 'processing' && performance.now() < deadline && !signal.aborted;
      pauseMs = Math.min(2 * pauseMs, maxPauseMs)
    ) {
      await sleep(Math.min(pauseMs, Math.max(0, deadline - performance.now())));
      const added = await services.store.log.readStream(stream, {
        from: latest.streamRevision + 1,
        limit: 1,
      });
      if (added.length > 0) latest = (await loadDocument(services, caller, documentId)).state;
    }
  });
  return latest;
}
