import type { Document, ReprocessDocument } from '@stratalog/client';
import { useState } from 'preact/hooks';
import { Link } from '../../app/address.tsx';
import { useSession } from '../../app/session.tsx';
import { useChange } from '../../app/use-ask.ts';
import { Trouble } from '../../ui/answer.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Panel } from '../../ui/page.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { isUnderWay, skipMeanings, skippedOf, type SkipReason } from './document-facts.ts';

/** Reasons that a person can overrule for one document. */
type Overridable = NonNullable<ReprocessDocument['accept']>[number];

const isOverridable = (reason: SkipReason): reason is Overridable =>
  reason !== 'refused' && reason !== 'empty';

/** What was skipped and why, and how to store it all the same. */
export function Skipped({
  document,
  isPresent,
}: {
  readonly document: Document;
  readonly isPresent: boolean;
}) {
  const { may } = useSession();
  const change = useChange('documents.reprocess');
  const [accepted, setAccepted] = useState<readonly Overridable[]>([]);
  const total = skippedOf(document);
  const mayChange =
    isPresent && may('reprocessDocument') && document.state !== 'deleted' && document.state !== 'failed';
  const toggle = (reason: Overridable) =>
    setAccepted(accepted.includes(reason) ? accepted.filter((one) => one !== reason) : [...accepted, reason]);
  return (
    <Panel
      title="What was skipped"
      note={total === 0 ? 'nothing' : `${total.toLocaleString()} sections are no memories`}
      actions={
        mayChange && (
          <Button
            kind={accepted.length > 0 ? 'primary' : 'plain'}
            disabled={change.isRunning || isUnderWay(document)}
            onClick={() =>
              void change.run([document.id, { accept: accepted }]).then((done) => done && setAccepted([]))
            }
            title="Decides about all sections by the rules that the spaces have now"
          >
            {accepted.length > 0 ? 'Store what is chosen' : 'Decide again by the rules of now'}
          </Button>
        )
      }
    >
      {change.error && <Trouble error={change.error} />}
      {document.skipped.length > 0 && (
        <ul class="skipped">
          {document.skipped.map(({ reason, count, examples }) => (
            <li key={reason}>
              <p class="badges">
                <Badge tone="warn">{reason}</Badge>
                <span>
                  {count.toLocaleString()}: {skipMeanings[reason]}
                </span>
              </p>
              {examples.length > 0 && (
                <details>
                  <summary>{examples.length < count ? 'some of them' : 'which'}</summary>
                  <ul>
                    {examples.map((example, index) => (
                      <li key={index} dir="auto">
                        {example}
                      </li>
                    ))}
                  </ul>
                </details>
              )}
              {mayChange && isOverridable(reason) && (
                <Checkbox
                  label="Store them all the same"
                  isChecked={accepted.includes(reason)}
                  onChange={() => toggle(reason)}
                />
              )}
              {mayChange && reason === 'refused' && (
                <p class="muted">
                  To store them, change the rules of{' '}
                  {document.spaces.map((space, index) => (
                    <span key={space}>
                      {index > 0 && ' or '}
                      <Link to="/spaces" values={{ id: space }}>
                        {space}
                      </Link>
                    </span>
                  ))}
                  , then decide again.
                </p>
              )}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
