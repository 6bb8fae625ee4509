import { z } from 'zod';
import { postDocument, putDocument } from '../../api/documents/receive-document.ts';
import { identifier } from '../../domain/layers.ts';
import { tool } from './tool.ts';

const { text, filename, layer, title, sourceUri, externalId } = postDocument.input.shape;

/** How long the tool waits for the sections of a document, in milliseconds. */
const waitMs = 20_000;

export const memoryIngest = tool({
  name: 'memory_ingest',
  title: 'Store a document',
  description:
    'Store a whole document, such as a page you have read: its sections become memories that cite it. With external_id, a new version replaces the last.',
  input: z.strictObject({
    text: text.unwrap().meta({ description: 'Markdown, HTML, code or plain text' }),
    title: title.meta({ description: '' }),
    filename: filename.meta({ description: 'Its ending tells the type' }),
    source_uri: sourceUri.meta({ description: '' }),
    external_id: externalId.meta({ description: 'Your unique name' }),
    space_id: identifier.optional().meta({ description: '' }),
    layer: layer.meta({ description: '' }),
    scope: z.record(z.string(), z.string()).prefault({}).meta({ description: '' }),
  }),
  effect: 'adds',
  parameters: { spaces: 'space_id', sourceUri: 'source_uri', externalId: 'external_id' },
  async call({ space_id: space, source_uri, external_id, ...rest }, act) {
    const file = { ...rest, sourceUri: source_uri, spaces: space === undefined ? [] : [space], waitMs };
    const { document } =
      external_id === undefined
        ? await act(postDocument, file)
        : await act(putDocument, { ...file, externalId: external_id });
    const { id, state, memories, skipped, problem } = document;
    return {
      fields: {
        document: { id, title: document.title, state, memories, skipped, ...(problem && { problem }) },
      },
      text: [
        problem
          ? `It could not be read: ${problem.detail}`
          : `Document ${id}: ${memories} ${memories === 1 ? 'memory' : 'memories'}, ${state}.`,
        ...skipped.map(({ reason, count }) => `${count} skipped: ${reason}`),
      ].join('\n'),
    };
  },
});
