import type { DocumentFile, PostDocument } from '@stratalog/client';
import { useEffect, useState } from 'preact/hooks';
import { Link } from '../../app/address.tsx';
import { useAsk, useChange } from '../../app/use-ask.ts';
import { Trouble } from '../../ui/answer.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { bytesText } from '../../ui/quantity.ts';
import { isUnderWay, progressText, skippedOf, stateTones } from './document-facts.ts';

/** The server refuses larger files. */
const maxBytes = 64_000_000;
const lookMs = 1_000;

/** Where a file is stored. */
export interface UploadTarget extends Pick<PostDocument, 'layer' | 'scope' | 'spaces'> {
  /** Whether the file is the next revision of the document with its name, if there is one. */
  readonly replaces: boolean;
  /** Of the document whose next revision it is; the name of the file otherwise. */
  readonly externalId?: string;
}

interface UploadItemProps {
  readonly file: File;
  readonly target: UploadTarget;
  /** Whether the file is to be sent now. */
  readonly isTurn: boolean;
  readonly onSent: () => void;
}

/** A file that is sent as soon as it is its turn, and what becomes of it. */
export function UploadItem({ file, target, isTurn, onSent }: UploadItemProps) {
  const put = useChange('documents.put');
  const post = useChange('documents.add');
  const [id, setId] = useState<string>();
  const [problem, setProblem] = useState<Error>();
  const { replaces, externalId = file.name, ...place } = target;

  const send = async () => {
    setProblem(undefined);
    try {
      if (file.size > maxBytes)
        throw new Error(`The file has ${bytesText(file.size)}; at most ${bytesText(maxBytes)} are stored.`);
      const document: DocumentFile = {
        ...place,
        bytes: new Uint8Array(await file.arrayBuffer()),
        filename: file.name,
        ...(file.type !== '' && { mediaType: file.type }),
      };
      const answer = await (replaces ? put.run([externalId, document]) : post.run([document]));
      if (answer) setId(answer.document.id);
    } catch (error) {
      setProblem(error as Error);
    }
    onSent();
  };
  useEffect(() => {
    if (isTurn) void send();
  }, [isTurn]);

  const failure = problem ?? put.error ?? post.error;
  return (
    <li>
      <span>
        {id === undefined ? file.name : <Link to={`/documents/${id}`}>{file.name}</Link>}{' '}
        <span class="muted">{bytesText(file.size)}</span>
      </span>
      {id === undefined ? (
        !failure && <Badge>{isTurn ? 'being sent' : 'waiting'}</Badge>
      ) : (
        <StoredState id={id} />
      )}
      {failure && id === undefined && (
        <>
          <Trouble error={failure} />
          <Button kind="quiet" onClick={() => void send()}>
            Send again
          </Button>
        </>
      )}
    </li>
  );
}

/** The state of a document that was sent, until it does not change any more. */
function StoredState({ id }: { readonly id: string }) {
  const [isOpen, setOpen] = useState(true);
  const { answer, error } = useAsk('documents.get', [id, {}], isOpen ? { everyMs: lookMs } : {});
  const document = answer?.document;
  useEffect(() => {
    if (document) setOpen(isUnderWay(document));
  }, [document?.state]);
  if (!document) return error ? <Trouble error={error} /> : <Badge>stored</Badge>;
  const skipped = skippedOf(document);
  return (
    <span class="badges" role="status">
      <Badge tone={stateTones[document.state]}>{document.state}</Badge>
      <span class="muted">
        {progressText(document)}
        {skipped > 0 && `, ${skipped.toLocaleString()} skipped`}
        {document.problem && `: ${document.problem.detail}`}
      </span>
    </span>
  );
}
