import { useSession } from '../../app/session.tsx';
import { ExplainedAnswer, PlainAnswer } from './lab-answer.tsx';
import type { LabRequest, Side } from './lab-settings.ts';
import type { ComparedProps } from './results.tsx';
import { SettingsForm } from './settings-form.tsx';

interface LabSideProps extends ComparedProps {
  readonly side: Side;
  readonly name: string;
  readonly asked: LabRequest;
}

/** The settings of one search, and its answer. */
export function LabSide({ side, name, asked: { request, problem }, other, onAnswer }: LabSideProps) {
  const { may } = useSession();
  const Asking = may('explainSearch') ? ExplainedAnswer : PlainAnswer;
  return (
    <div class="lab-side">
      <SettingsForm side={side} name={name} isOpen={other !== undefined || problem !== undefined} />
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {request && request.query.trim() !== '' && (
        <Asking
          request={request}
          where={side === '' ? 'of this search' : 'of the other search'}
          other={other}
          onAnswer={onAnswer}
        />
      )}
    </div>
  );
}
