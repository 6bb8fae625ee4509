// Reads files in a process of its own, one at a time: a file may take all of the memory, or never end. Started by `ChildReader`.
import { Worker } from 'node:worker_threads';
import type { Block, DocumentContent } from '../../domain/documents/content.ts';
import { Problem, type ProblemCode } from '../../domain/problems.ts';
import type { FileToRead } from '../../ports/document-reader.ts';
import { readDocument, unreadable } from './read-document.ts';
import { watchdog } from './watchdog.ts';

/** Sent by `ChildReader`. */
export interface ReadRequest {
  readonly file: FileToRead;
  /** Characters and bytes that the answer may have. */
  readonly maxAnswer: number;
  /** Milliseconds of CPU time that the process may take for it. */
  readonly cpuMs: number;
}

export type ReadAnswer =
  | { readonly kind: 'content'; readonly content: DocumentContent }
  | { readonly kind: 'problem'; readonly code: ProblemCode; readonly detail: string };

const maxBytes = Number(process.argv[2]);
const watching = new Worker(watchdog, { eval: true, workerData: maxBytes, stdout: true, stderr: true });
watching.unref();

process.on('message', (request: ReadRequest) => {
  watching.postMessage(request.cpuMs, []);
  void answerTo(request).then((answer) => {
    watching.postMessage(Infinity, []);
    process.send?.(answer);
  });
});
process.on('disconnect', () => process.exit());
// Of promises that a library has forgotten. The file is read, or it is not.
process.on('unhandledRejection', () => {});

async function answerTo({ file, maxAnswer }: ReadRequest): Promise<ReadAnswer> {
  try {
    const content = await readDocument(file);
    if (sizeOf(content) > maxAnswer) {
      const detail = `what it says is longer than ${maxAnswer.toLocaleString('en')} characters`;
      return { kind: 'problem', code: 'document-too-large', detail };
    }
    return { kind: 'content', content };
  } catch (error) {
    const { code, message } = error instanceof Problem ? error : unreadable(error);
    return { kind: 'problem', code, detail: message };
  }
}

function sizeOf({ blocks, attachments = [] }: DocumentContent): number {
  const attached = attachments.reduce((sum, { bytes }) => sum + bytes.length, 0);
  return blocks.reduce((sum, block) => sum + lengthOf(block), attached);
}

/** With a share for what each cell and block takes beside its text. */
function lengthOf(block: Block): number {
  if (block.kind !== 'table') return block.text.length + 32;
  return [block.header, ...block.rows].flat().reduce((sum, cell) => sum + cell.length + 8, 32);
}
