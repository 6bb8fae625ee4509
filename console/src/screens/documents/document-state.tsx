import type { Document } from '@stratalog/client';
import { Link } from '../../app/address.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Panel } from '../../ui/page.tsx';
import { bytesText } from '../../ui/quantity.ts';
import { Facts } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { isUnderWay, progressText, sourceIdOf, stateTones } from './document-facts.ts';
import { OutsideLink } from './outside-link.tsx';

const routedWords: Readonly<Record<NonNullable<Document['routed']>['because'], string>> = {
  rule: 'by a rule',
  similar: 'because their memories are similar',
  model: 'by the language model',
  fallback: 'because nothing else fitted',
  none: 'nothing fitted',
};

/** The state of a document, where it came from and where it belongs. */
export function DocumentState({ document }: { readonly document: Document }) {
  const { state, progress, problem, pages, routed, scope, externalId, replacements } = document;
  const source = sourceIdOf(externalId);
  const identifiers = Object.entries(scope).filter(([key]) => key !== 'company');
  return (
    <Panel title="What became of it">
      <p class="badges" role="status">
        <Badge tone={stateTones[state]}>{state}</Badge>
        <span>
          {progressText(document)}, revision {document.revision}
        </span>
        {document.retentionUntil && (
          <span class="muted">
            can be restored until <Time at={document.retentionUntil} exact />
          </span>
        )}
      </p>
      {isUnderWay(document) && (
        <progress
          value={progress.done}
          max={Math.max(progress.total, 1)}
          aria-label="Sections that are stored"
        />
      )}
      {problem && (
        <div class="problem" role="alert">
          <p>
            Revision {document.revision} could not be read: {problem.detail} ({problem.code})
          </p>
          {document.memories > 0 && <p>The sections of the last good file stay.</p>}
        </div>
      )}
      <Facts
        facts={[
          ['layer', [document.layer, ...identifiers.map(([key, value]) => `${key} ${value}`)].join(', ')],
          [
            'spaces',
            document.spaces.length > 0 && (
              <span key="spaces" class="badges">
                {document.spaces.map((space) => (
                  <Link key={space} to="/spaces" values={{ id: space }}>
                    {space}
                  </Link>
                ))}
              </span>
            ),
          ],
          [
            'spaces chosen',
            routed &&
              [
                routedWords[routed.because],
                routed.rules && `rules ${routed.rules.join(', ')}`,
                routed.subjects?.join(', '),
                routed.model,
              ]
                .filter(Boolean)
                .join(': '),
          ],
          [
            'came by',
            source === undefined ? (
              'somebody sent it'
            ) : (
              <Link key="source" to="/documents" values={{ tab: 'sources', source }}>
                source {source}
              </Link>
            ),
          ],
          ['address', document.sourceUri && <OutsideLink key="uri" url={document.sourceUri} />],
          ['file', document.filename],
          ['externalId', externalId],
          ['type', [document.contentType, document.mediaType].filter(Boolean).join(', ')],
          ['language', document.programmingLanguage ?? document.language],
          ['size', bytesText(document.bytes)],
          ['pages', pages && pagesText(pages)],
          ['unreadable characters', replacements !== undefined && replacements > 0 && replacements],
          ['tags', document.tags.join(', ')],
          [
            'attached to',
            document.parent && (
              <Link key="parent" to={`/documents/${document.parent}`}>
                {document.parent}
              </Link>
            ),
          ],
          ['SHA-256', document.sha256],
          ['sent by', document.createdBy],
          ['first stored', <Time key="created" at={document.createdAt} />],
          ['changed', <Time key="updated" at={document.updatedAt} />],
        ]}
      />
    </Panel>
  );
}

function pagesText({ total, empty, withoutText }: NonNullable<Document['pages']>): string {
  return [
    total.toLocaleString(),
    empty.length > 0 && `empty: ${empty.join(', ')}`,
    withoutText.length > 0 && `pictures alone: ${withoutText.join(', ')}`,
  ]
    .filter(Boolean)
    .join('; ');
}
