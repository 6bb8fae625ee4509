import { at } from '../example-values.ts';
import type { DocumentView } from './document-view.ts';

export const documentExample: DocumentView = {
  id: '019a5b3c-7d22-7000-8000-0242ac120002',
  externalId: 'handbook.md',
  filename: 'handbook.md',
  title: 'Refunds',
  mediaType: 'text/markdown',
  contentType: 'documentation',
  language: 'en',
  layer: 'company',
  scope: { company: 'acme' },
  spaces: [],
  tags: [],
  metadata: {},
  sha256: '5f2b9c0d1e3a47658899aabbccddeeff5f2b9c0d1e3a47658899aabbccddeeff',
  bytes: 34,
  revision: 1,
  state: 'ready',
  progress: { stage: 'done', done: 1, total: 1 },
  memories: 1,
  skipped: [],
  createdBy: 'user:ada',
  createdAt: at,
  updatedAt: at,
};
