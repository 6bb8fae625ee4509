import type { Document, StoredMemory } from '@stratalog/client';
import { Link } from '../../app/address.tsx';
import { usePages } from '../../app/use-pages.ts';
import { Badge } from '../../ui/badge.tsx';
import { Empty } from '../../ui/empty.tsx';
import { PagedList } from '../../ui/paged-list.tsx';

interface DocumentSectionsProps {
  readonly document: Document;
  readonly isPresent: boolean;
}

/** The memories of the sections of a document, in its order. */
export function DocumentSections({ document, isPresent }: DocumentSectionsProps) {
  const sections = usePages('documents.memories', [document.id, { limit: 100 }]);
  return (
    <section class="stack" aria-label="Sections">
      {!isPresent && <p class="muted">The sections are those of now.</p>}
      <PagedList
        of={sections}
        what="the sections"
        label="Sections"
        rowHeight={62}
        empty={
          <Empty title="No section of it is a memory">
            {document.skipped.length > 0
              ? 'See above what was skipped, and store it all the same if you want.'
              : 'Sections appear here as they are stored.'}
          </Empty>
        }
      >
        {(memory) => <SectionRow memory={memory} />}
      </PagedList>
    </section>
  );
}

function SectionRow({ memory }: { readonly memory: StoredMemory }) {
  const { source, trust } = memory;
  const [first, last] = source?.pages ?? [];
  return (
    <Link class="row" to={`/memories/${memory.id}`}>
      <span class="row-text" dir="auto">
        {memory.content}
      </span>
      <span class="badges muted">
        {source?.path && source.path.length > 0 && <span dir="auto">{source.path.join(' › ')}</span>}
        {first !== undefined && (
          <span>{last === undefined || last === first ? `page ${first}` : `pages ${first} to ${last}`}</span>
        )}
        <span>{memory.content.length.toLocaleString()} characters</span>
        {trust.state !== 'trusted' && <Badge tone="warn">{trust.state}</Badge>}
        {trust.flags.map((flag) => (
          <Badge key={flag} tone="danger">
            {flag}
          </Badge>
        ))}
      </span>
    </Link>
  );
}
