import { usePages } from '../../app/use-pages.ts';
import { Panel } from '../../ui/page.tsx';
import { DocumentRow } from './document-row.tsx';

/** The files that were attached to a mail, if there are any. */
export function Attachments({ parent }: { readonly parent: string }) {
  const attached = usePages('documents.list', [{ parent, limit: 50 }]);
  if (attached.items.length === 0) return null;
  return (
    <Panel title="Attached files" note={attached.hasMore ? 'the newest 50' : ''}>
      <div>
        {attached.items.map((document) => (
          <DocumentRow key={document.id} document={document} />
        ))}
      </div>
    </Panel>
  );
}
