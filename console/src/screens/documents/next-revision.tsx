import type { Document } from '@stratalog/client';
import { useState } from 'preact/hooks';
import { useSession } from '../../app/session.tsx';
import { Panel } from '../../ui/page.tsx';
import { sourceIdOf } from './document-facts.ts';
import { FileDrop } from './file-drop.tsx';
import { UploadItem } from './upload-item.tsx';

/** Stores a file as the next revision of a document that has an externalId by which it is known again, and that no source keeps up to date. */
export function NextRevision({ document }: { readonly document: Document }) {
  const { may } = useSession();
  const [files, setFiles] = useState<readonly File[]>([]);
  const { externalId, layer, scope, spaces, state } = document;
  if (externalId === undefined || sourceIdOf(externalId) !== undefined) return null;
  if (!may('putDocument') || state === 'deleted') return null;
  const { company: _, ...place } = scope;
  return (
    <Panel title="Next revision" note="sections whose text stays keep their memories">
      <FileDrop onFiles={(added) => setFiles([...files, ...added])} />
      {files.length > 0 && (
        <ul class="uploads" aria-label="Files that were sent">
          {files.map((file, index) => (
            <UploadItem
              key={index}
              file={file}
              target={{ layer, scope: place, spaces, replaces: true, externalId }}
              isTurn
              onSent={() => undefined}
            />
          ))}
        </ul>
      )}
    </Panel>
  );
}
