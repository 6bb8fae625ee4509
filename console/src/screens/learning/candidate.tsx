import { useState } from 'preact/hooks';
import { useSession } from '../../app/session.tsx';
import { useAsk } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { EvaluationFigures } from './evaluation-figures.tsx';
import { Interval } from './interval.tsx';
import { gainOf } from './verdicts.ts';

const verdicts = {
  promote: ['proven to be better', 'good'],
  reject: ['proven to be worse', 'danger'],
  'keep-collecting': ['not proven yet', 'plain'],
} as const;

/** Puts a version in force, beside what is known of it. Without proof only an admin can, by saying so. */
export function Candidate({ version }: { readonly version: string }) {
  const { who } = useSession();
  const evaluation = useAsk('admin.policies.evaluation', [version], { keepsPrevious: false });
  const [force, setForce] = useState(false);
  const isAdmin = who.role === 'admin';
  return (
    <section class="decision">
      <h3>Promote {version}</h3>
      <Answer of={evaluation} what="its evaluation">
        {({ verdict, reason, comparedWith, figures }) => {
          const [words, tone] = verdicts[verdict];
          const isProven = verdict === 'promote';
          return (
            <div class="decision">
              <p>
                <Badge tone={tone}>{words}</Badge> <span class="muted">{reason}</span>
              </p>
              <Interval gain={gainOf(figures)} label={`Gain of ${version} over ${comparedWith}`} />
              <details>
                <summary>Off-policy evaluation</summary>
                <EvaluationFigures figures={figures} />
              </details>
              {(isProven || isAdmin) && (
                <div class="form-actions">
                  <Confirm
                    name="admin.policies.promote"
                    args={[version, isProven ? {} : { force }]}
                    kind={isProven ? 'primary' : 'danger'}
                    label={isProven ? 'Promote' : 'Promote without proof'}
                    title={`Promote ${version}`}
                  >
                    <p>
                      Within a second {version} chooses the routes of all questions of the tenant, instead of{' '}
                      {comparedWith}. The comparison starts anew, with no evidence. A roll-back returns to{' '}
                      {comparedWith}.
                    </p>
                    {!isProven && (
                      <Checkbox
                        label={`It is ${words}: ${reason}. Promote it all the same.`}
                        isChecked={force}
                        onChange={setForce}
                      />
                    )}
                  </Confirm>
                </div>
              )}
              {!isProven && !isAdmin && (
                <p class="muted">It is promoted by itself when it is proven to be better.</p>
              )}
            </div>
          );
        }}
      </Answer>
    </section>
  );
}
