import { useRef } from 'preact/hooks';
import { useChange } from '../../app/use-ask.ts';
import { useSession } from '../../app/session.tsx';
import { Trouble } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog, type DialogHandle } from '../../ui/dialog.tsx';

/** Ends a session, after saying what that means. */
export function EndSession({ id, withoutOutcome }: { readonly id: string; readonly withoutOutcome: number }) {
  const dialog = useRef<DialogHandle>(null);
  const end = useChange('endSession');
  const { who } = useSession();
  const confirm = async () => {
    if (await end.run([id])) dialog.current?.close();
  };
  return (
    <>
      <Button
        onClick={() => {
          end.reset();
          dialog.current?.show();
        }}
      >
        End the session
      </Button>
      <Dialog handle={dialog} title="End the session">
        <p>
          Searches of this session whose results nobody has used or judged will count as ignored
          {withoutOutcome > 0 && ` (${withoutOutcome} without an outcome are shown here)`}, and the server
          learns from that. An outcome that is reported later still counts instead.
        </p>
        <p class="muted">
          A session belongs to the credential and user that searched in it. This ends the session of{' '}
          {who.user ?? 'your credential'}; searches that others made under the same name stay open.
        </p>
        {end.error && <Trouble error={end.error} />}
        <p class="badges">
          <Button kind="danger" disabled={end.isRunning} onClick={() => void confirm()}>
            {end.isRunning ? 'Ending…' : 'End it'}
          </Button>
          <Button onClick={() => dialog.current?.close()}>Cancel</Button>
        </p>
      </Dialog>
    </>
  );
}
