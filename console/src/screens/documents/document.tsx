import type { Document } from '@stratalog/client';
import { useRef } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { Link, useAddress } from '../../app/address.tsx';
import { useSession } from '../../app/session.tsx';
import { useAt } from '../../app/time-bar.tsx';
import { useAsk, useChange } from '../../app/use-ask.ts';
import { Answer, Trouble } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog, type DialogHandle } from '../../ui/dialog.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Attachments } from './attachments.tsx';
import { DeleteDocument } from './delete-document.tsx';
import { listValues } from './document-list.tsx';
import { DocumentSections } from './document-sections.tsx';
import { DocumentState } from './document-state.tsx';
import { DocumentText } from './document-text.tsx';
import { isUnderWay } from './document-facts.ts';
import { NextRevision } from './next-revision.tsx';
import { Skipped } from './skipped.tsx';
import './documents.css';

const storingMs = 1_500;
const idleMs = 15_000;

/** One document: its state, what became of its sections, and its text. */
export default function DocumentScreen() {
  const { id = '' } = useRoute().params;
  const at = useAt();
  const { values } = useAddress();
  // Looks more often while sections are stored.
  const isStoring = useRef(false);
  const asked = useAsk('documents.get', [id, { ...(at && { asOf: at }) }], {
    everyMs: isStoring.current ? storingMs : idleMs,
  });
  const document = asked.answer?.document;
  isStoring.current = at === undefined && document !== undefined && isUnderWay(document);
  return (
    <Page
      title={document?.title ?? 'Document'}
      question="What became of it?"
      followsTime
      actions={document && at === undefined && <Actions document={document} />}
    >
      <p>
        <Link to="/documents" values={listValues(values)}>
          All documents
        </Link>
      </p>
      <Answer of={asked} what="the document">
        {({ document: found }) => (
          <div class="stack">
            <DocumentState document={found} />
            <Skipped document={found} isPresent={at === undefined} />
            <Attachments parent={found.id} />
            <Tabs
              label="Parts of the document"
              keep={listValues(values)}
              tabs={[
                ['sections', 'Sections'],
                ['text', 'Text'],
              ]}
            />
            {values['tab'] === 'text' ? (
              <DocumentText id={found.id} isRead={found.sha256 !== undefined} />
            ) : (
              <DocumentSections document={found} isPresent={at === undefined} />
            )}
            {at === undefined && <NextRevision document={found} />}
          </div>
        )}
      </Answer>
    </Page>
  );
}

function Actions({ document }: { readonly document: Document }) {
  const { may } = useSession();
  const restore = useChange('documents.restore');
  const remove = useRef<DialogHandle>(null);
  return (
    <>
      {document.state === 'deleted'
        ? may('restoreDocument') && (
            <Button disabled={restore.isRunning} onClick={() => void restore.run([document.id])}>
              Restore
            </Button>
          )
        : may('deleteDocument') && (
            <Button kind="danger" onClick={() => remove.current?.show()}>
              Delete
            </Button>
          )}
      {restore.error && <Trouble error={restore.error} />}
      <Dialog handle={remove} title={`Delete “${document.title}”`}>
        <DeleteDocument document={document} onDone={() => remove.current?.close()} />
      </Dialog>
    </>
  );
}
