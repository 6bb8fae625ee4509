import { useRef } from 'preact/hooks';
import { Link } from '../../app/address.tsx';
import { useSession } from '../../app/session.tsx';
import { useAsk } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog, type DialogHandle } from '../../ui/dialog.tsx';
import { Page } from '../../ui/page.tsx';
import { DeleteSpace } from './delete-space.tsx';
import { NewSpace } from './new-space.tsx';
import { SpaceFigures } from './space-figures.tsx';
import { SpaceForm } from './space-form.tsx';
import { SpaceName } from './space-list.tsx';
import { SpaceRules } from './space-rules.tsx';

/** One space: what it holds, what rules it has, and the changes of them. */
export function SpaceView({ id }: { readonly id: string }) {
  const { may } = useSession();
  const space = useAsk('spaces.get', [id, {}]);
  const stats = useAsk('spaces.stats', [id, {}]);
  const edit = useRef<DialogHandle>(null);
  const remove = useRef<DialogHandle>(null);
  const isConfigured = space.answer?.configured ?? false;
  return (
    <Page
      title={`Space ${id}`}
      question="What does it hold and cost, and by which rules?"
      actions={
        space.answer && (
          <>
            {may(isConfigured ? 'patchSpace' : 'putSpace') && (
              <Button onClick={() => edit.current?.show()}>{isConfigured ? 'Change' : 'Configure'}</Button>
            )}
            {isConfigured && may('deleteSpace') && (
              <Button kind="danger" onClick={() => remove.current?.show()}>
                Remove
              </Button>
            )}
          </>
        )
      }
    >
      <p class="badges">
        <Link to="/spaces">All spaces</Link>
        <Link to="/memories" values={{ space: id }}>
          Its memories
        </Link>
        <Link to="/documents" values={{ space: id }}>
          Its documents
        </Link>
        <Link to="/review">Reviews</Link>
      </p>
      <Answer of={space} what="the space">
        {(answer) => (
          <div class="stack">
            {(!answer.configured || answer.missingModels || answer.usage.exhaustedUntil) && (
              <SpaceName space={answer} />
            )}
            <Answer of={stats} what="the figures">
              {(figures) => <SpaceFigures space={answer} stats={figures} />}
            </Answer>
            <SpaceRules space={answer} />
            <Dialog handle={edit} title={`${answer.configured ? 'Change' : 'Configure'} ${id}`}>
              {answer.configured ? (
                <SpaceForm space={answer} onDone={() => edit.current?.close()} onRefused={space.repeat} />
              ) : (
                <NewSpace id={id} onDone={() => edit.current?.close()} />
              )}
            </Dialog>
            <Dialog handle={remove} title={`Remove the configuration of ${id}`}>
              <DeleteSpace space={answer} onDone={() => remove.current?.close()} />
            </Dialog>
          </div>
        )}
      </Answer>
    </Page>
  );
}
