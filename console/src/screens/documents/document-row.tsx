import type { Document } from '@stratalog/client';
import type { AddressValues } from '../../app/address-values.ts';
import { Link } from '../../app/address.tsx';
import { Badge } from '../../ui/badge.tsx';
import { bytesText } from '../../ui/quantity.ts';
import { Time } from '../../ui/time.tsx';
import { progressText, skippedOf, stateTones } from './document-facts.ts';

/** A document in a list: its state, what became of its sections, and why not. */
export function DocumentRow({
  document,
  values,
}: {
  readonly document: Document;
  /** Filters of the list, which its page leads back to. */
  readonly values?: AddressValues;
}) {
  const skipped = skippedOf(document);
  return (
    <Link class="row" to={`/documents/${document.id}`} values={values}>
      <span class="row-text" dir="auto">
        {document.title}
      </span>
      <span class="badges muted">
        <Badge tone={stateTones[document.state]}>{document.state}</Badge>
        <Badge>{document.layer}</Badge>
        {document.spaces.map((space) => (
          <Badge key={space} tone="accent">
            {space}
          </Badge>
        ))}
        <span>{progressText(document)}</span>
        {skipped > 0 && (
          <Badge tone="warn">
            {skipped.toLocaleString()} skipped: {document.skipped.map(({ reason }) => reason).join(', ')}
          </Badge>
        )}
        {document.problem && document.state !== 'failed' && <Badge tone="danger">the last file failed</Badge>}
        <span>revision {document.revision}</span>
        <span>{bytesText(document.bytes)}</span>
        <Time at={document.updatedAt} />
      </span>
    </Link>
  );
}
