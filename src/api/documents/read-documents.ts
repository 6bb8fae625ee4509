import { z } from 'zod';
import { loadDocument, loadText } from '../../commands/documents/load-document.ts';
import { identifier, layerSchema } from '../../domain/layers.ts';
import { memorySchema } from '../../domain/memory/view.ts';
import { Problem } from '../../domain/problems.ts';
import {
  listDocumentMemories as listMemories,
  listDocuments as list,
  listedStates,
} from '../../queries/documents/list-documents.ts';
import { position } from '../example-values.ts';
import { asOfField, defaultLimit, pageFields, positionField, waitFields } from '../fields.ts';
import { memoryExample } from '../memories/examples.ts';
import { decorated } from '../memories/decorated.ts';
import { operation } from '../operation.ts';
import { documentSchema, documentView, type DocumentView } from './document-view.ts';
import { documentExample } from './examples.ts';
import { readers } from '../memories/roles.ts';

const idField = z.string();

export const getDocument = operation({
  name: 'getDocument',
  summary: 'Get a document: its state, and what was skipped of it',
  area: 'Documents',
  input: z.strictObject({ id: idField, asOf: asOfField, ...waitFields }),
  output: z.object({ document: documentSchema, position: positionField }),
  examples: { input: { id: documentExample.id }, output: { document: documentExample, position } },
  access: 'every-caller',
  serves: readers,
  reads: 'log',
  audit: { what: 'document', when: 'watched' },
  async handle({ caller, input, services, asOf, token }) {
    const found = await loadDocument(services.commands, caller, input.id, asOf);
    return {
      output: { document: documentView(caller, found.state), position: token(found.position) },
      read: { items: 1, memories: [found.state.place], parameters: { document: input.id } },
    };
  },
});

export const listDocuments = operation({
  name: 'listDocuments',
  summary: 'List documents, the newest first',
  area: 'Documents',
  input: z.strictObject({
    layer: z.array(layerSchema).min(1).optional(),
    space: identifier.optional(),
    state: z.enum(listedStates).optional().meta({
      description: 'Only documents in this state. Default: all that are not deleted',
    }),
    contentType: identifier.optional(),
    parent: z.string().max(64).optional().meta({ description: 'Only what was attached to this document' }),
    prefix: z.string().max(1_024).optional().meta({ description: 'How their externalId begins' }),
    ...pageFields,
    ...waitFields,
  }),
  output: z.object({
    items: z.array(documentSchema),
    nextCursor: z.string().optional(),
    position: positionField,
  }),
  examples: { input: { space: 'handbook' }, output: { items: [documentExample], position } },
  access: 'every-caller',
  serves: readers,
  reads: 'read-models',
  awaitsOwn: ['documents'],
  cost: () => 1,
  audit: { what: 'document list', when: 'watched' },
  async handle({ caller, input, services, wait, token }) {
    const { layer: layers, space, state, contentType, prefix, parent, cursor, limit = defaultLimit } = input;
    const filter = { layers, space, state, contentType, prefix, parent };
    const page = await list(services.models, caller, { ...filter, cursor, limit, wait });
    const items: DocumentView[] = [];
    for (const id of page.ids) {
      // One that was erased meanwhile is left out.
      const found = await loadDocument(services.commands, caller, id).catch((error: unknown) => {
        if (error instanceof Problem && error.code === 'not-found') return undefined;
        throw error;
      });
      if (found) items.push(documentView(caller, found.state));
    }
    return {
      output: { items, nextCursor: page.nextCursor, position: token(page.position) },
      read: { items: items.length },
    };
  },
});

export const documentMemories = operation({
  name: 'documentMemories',
  summary: 'List the memories of the sections of a document, in their order',
  area: 'Documents',
  input: z.strictObject({ id: idField, ...pageFields, ...waitFields }),
  output: z.object({
    items: z.array(memorySchema),
    nextCursor: z.string().optional(),
    position: positionField,
  }),
  examples: { input: { id: documentExample.id }, output: { items: [memoryExample], position } },
  access: 'every-caller',
  serves: readers,
  reads: 'read-models',
  awaitsOwn: ['documents', 'memories'],
  cost: () => 0.5,
  audit: { what: 'document memories', when: 'watched' },
  async handle({ caller, input, services, wait, token }) {
    const { id, cursor, limit = defaultLimit } = input;
    // What the document has stored until now is in the answer, although the caller has not stored it itself.
    const found = await loadDocument(services.commands, caller, id);
    const minPosition = Math.max(wait.minPosition ?? 0, found.position);
    const page = await listMemories(services.models, caller, id, {
      cursor,
      limit,
      wait: { ...wait, minPosition },
    });
    return {
      output: {
        items: await decorated(services, caller, page.items),
        nextCursor: page.nextCursor,
        position: token(page.position),
      },
      read: { items: page.items.length, memories: page.items, parameters: { document: id } },
    };
  },
});

export const documentText = operation({
  name: 'documentText',
  summary: 'Get the text that was read from the file, as Markdown',
  area: 'Documents',
  input: z.strictObject({ id: idField, asOf: asOfField, ...waitFields }),
  output: z.object({
    text: z.string().meta({ description: 'Of the last revision that could be read' }),
    revision: z.int().positive(),
    position: positionField,
  }),
  examples: {
    input: { id: documentExample.id },
    output: { text: '# Refunds\n\nRefunds take five days.\n', revision: 1, position },
  },
  access: 'every-caller',
  serves: readers,
  reads: 'log',
  cost: () => 1,
  audit: { what: 'document text', when: 'watched' },
  async handle({ caller, input, services, asOf, token }) {
    const { state, position: at } = await loadDocument(services.commands, caller, input.id, asOf);
    const { good, place } = state;
    const text = good && (await loadText(services.commands, caller.tenant, state, good.revision));
    if (!good || text === undefined)
      throw new Problem('not-found', 'the document has no text: it could not be read, or was erased');
    return {
      output: { text, revision: good.revision, position: token(at) },
      read: { items: 1, memories: [place], parameters: { document: input.id } },
    };
  },
});
