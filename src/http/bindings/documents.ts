import { deleteDocument, reprocessDocument, restoreDocument } from '../../api/documents/change-documents.ts';
import {
  documentMemories,
  documentText,
  getDocument,
  listDocuments,
} from '../../api/documents/read-documents.ts';
import { postDocument, putDocument } from '../../api/documents/receive-document.ts';
import { bind } from '../binding.ts';

const wait = ['minPosition', 'waitMs'];
const page = ['limit', 'cursor'];

/** A file of 64 MB in base64, with its fields. */
const maxBodyBytes = 90_000_000;

const sent = {
  success: { status: 202, description: 'Received: its sections are stored in the background' },
  query: ['waitMs'],
  multipart: 'file',
  maxBodyBytes,
  headers: ({ document }: { readonly document: { readonly id: string } }) => ({
    location: `/v1/documents/${document.id}`,
  }),
} as const;

export const documentBindings = [
  bind(postDocument, 'post', '/v1/documents', sent),
  bind(putDocument, 'put', '/v1/documents/external/:externalId', {
    ...sent,
    textInPath: 'externalId',
    repeatedInBody: 'externalId',
  }),
  bind(listDocuments, 'get', '/v1/documents', {
    success: { status: 200, description: 'A page of documents' },
    query: ['layer', 'space', 'state', 'contentType', 'prefix', 'parent', ...page, ...wait],
  }),
  bind(getDocument, 'get', '/v1/documents/:id', {
    success: { status: 200, description: 'The document' },
    query: ['asOf', ...wait],
  }),
  bind(documentMemories, 'get', '/v1/documents/:id/memories', {
    success: { status: 200, description: 'A page of memories, in the order of the document' },
    query: [...page, ...wait],
  }),
  bind(documentText, 'get', '/v1/documents/:id/text', {
    success: { status: 200, description: 'The text' },
    query: ['asOf', ...wait],
  }),
  bind(deleteDocument, 'delete', '/v1/documents/:id', {
    success: { status: 200, description: 'Deleted, or erased' },
    query: ['mode', 'files'],
  }),
  bind(restoreDocument, 'post', '/v1/documents/:id/restore', {
    success: { status: 200, description: 'Restored' },
    bodyOptional: true,
  }),
  bind(reprocessDocument, 'post', '/v1/documents/:id/reprocess', {
    success: { status: 200, description: 'Its sections are decided about anew' },
    bodyOptional: true,
  }),
];
