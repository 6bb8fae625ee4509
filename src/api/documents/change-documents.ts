import { z } from 'zod';
import {
  deleteDocument as softDelete,
  eraseDocument,
  reprocessDocument as reprocess,
  restoreDocument as restore,
} from '../../commands/documents/change-document.ts';
import type { CommandContext } from '../../commands/context.ts';
import { loadDocument } from '../../commands/documents/load-document.ts';
import { filesField } from '../../commands/erasure/request-erasure.ts';
import { acceptableReasons } from '../../domain/documents/events.ts';
import { listDocuments } from '../../queries/documents/list-documents.ts';
import { position } from '../example-values.ts';
import { positionField } from '../fields.ts';
import { writers } from '../memories/roles.ts';
import { operation, type Call } from '../operation.ts';
import { documentSchema, documentView } from './document-view.ts';
import { documentExample } from './examples.ts';

const idField = z.string();
const answerSchema = z.object({ document: documentSchema, position: positionField });
const answerExample = { document: documentExample, position };

const erasedSchema = z.object({
  document: z.object({ id: z.string(), state: z.literal('erased'), erasedAt: z.iso.datetime() }),
  receipt: z.string().meta({ description: 'Id of the receipt: `GET /v1/erasures/{id}`' }),
  position: positionField,
});

const deleteInput = z.strictObject({
  id: idField,
  mode: z.enum(['soft', 'erase']).default('soft'),
  files: filesField.optional(),
});

type DeletedAnswer = z.infer<typeof answerSchema> | z.infer<typeof erasedSchema>;

/** Erasing needs the role admin; the command checks it. */
export const deleteDocument = operation<typeof deleteInput, DeletedAnswer>({
  name: 'deleteDocument',
  summary: 'Soft-delete a document with the memories of its sections, or erase it permanently',
  area: 'Documents',
  input: deleteInput,
  output: z.union([answerSchema, erasedSchema]),
  examples: {
    input: { id: documentExample.id },
    output: { document: { ...documentExample, state: 'deleted' as const }, position },
  },
  access: writers,
  command: {
    scope: ({ id }) => ['DELETE', `/v1/documents/${id}`],
    arguments: null,
    variant: ({ mode }) => (mode === 'soft' ? '' : mode),
  },
  async handle(call) {
    const { caller, context, input, services, token } = call;
    const { id, mode, files } = input;
    if (mode === 'erase') {
      const { position: at } = await loadDocument(services.commands, caller, id).catch(() => ({
        position: 0,
      }));
      await withAttached(call, at, (attached, own) => eraseDocument(services.commands, own, attached, files));
      const erased = await eraseDocument(services.commands, context, id, files);
      return {
        output: {
          document: { id, state: 'erased' as const, erasedAt: erased.erasedAt.toISOString() },
          receipt: id,
          position: token(erased.position),
        },
        replayed: erased.replayed,
      };
    }
    const deleted = await softDelete(services.commands, context, id);
    await withAttached(call, deleted.position, (attached, own) =>
      softDelete(services.commands, own, attached),
    );
    return {
      output: { document: documentView(caller, deleted.state), position: token(deleted.position) },
      replayed: deleted.replayed,
    };
  },
});

export const restoreDocument = operation({
  name: 'restoreDocument',
  summary: 'Undo the soft deletion of a document',
  area: 'Documents',
  input: z.strictObject({ id: idField }),
  output: answerSchema,
  examples: { input: { id: documentExample.id }, output: answerExample },
  access: writers,
  command: { scope: ({ id }) => ['POST', `/v1/documents/${id}/restore`], arguments: null },
  async handle(call) {
    const { caller, context, input, services, token } = call;
    const restored = await restore(services.commands, context, input.id);
    await withAttached(call, restored.position, (attached, own) => restore(services.commands, own, attached));
    return {
      output: { document: documentView(caller, restored.state), position: token(restored.position) },
      replayed: restored.replayed,
    };
  },
});

/** Does the same to what was attached to the document. Repeatable. */
async function withAttached(
  { caller, context, input: { id }, services, wait }: Call<{ readonly id: string }>,
  minPosition: number,
  change: (documentId: string, context: CommandContext) => Promise<unknown>,
): Promise<void> {
  const { idempotency: _, ...own } = context;
  for (const state of [undefined, 'deleted'] as const) {
    const page = { limit: maxAttached, wait: { ...wait, minPosition } };
    const { ids } = await listDocuments(services.models, caller, { parent: id, state, ...page });
    for (const attached of ids) await change(attached, own);
  }
}

/** A mail has no more files. */
const maxAttached = 500;

const reprocessBody = z
  .strictObject({
    accept: z.array(z.enum(acceptableReasons)).max(acceptableReasons.length).default([]).meta({
      description:
        'Reasons to overrule: sections that they would skip are stored. `refused`, for personal data or a full space, cannot be overruled: change the rules, then process the document again',
    }),
  })
  .meta({ id: 'ReprocessDocument' });

export const reprocessDocument = operation({
  name: 'reprocessDocument',
  summary: 'Decide about the sections of a document anew, by the rules that its spaces have now',
  area: 'Documents',
  input: reprocessBody.extend({ id: idField }),
  output: answerSchema,
  examples: { input: { id: documentExample.id, accept: ['low-quality'] }, output: answerExample },
  access: writers,
  command: { scope: ({ id }) => ['POST', `/v1/documents/${id}/reprocess`], arguments: reprocessBody },
  async handle({ caller, context, input: { id, accept }, services, token }) {
    const changed = await reprocess(services.commands, context, id, accept);
    return {
      output: { document: documentView(caller, changed.state), position: token(changed.position) },
      replayed: changed.replayed,
    };
  },
});
