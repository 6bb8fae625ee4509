import { useSession } from '../../app/session.tsx';
import { Confirm } from '../../ui/confirm.tsx';

/** Ends a session, after saying what that means. */
export function EndSession({ id, withoutOutcome }: { readonly id: string; readonly withoutOutcome: number }) {
  const { who } = useSession();
  return (
    <Confirm name="endSession" args={[id]} label="End the session" title="End this session?">
      <p>
        Searches of this session whose results nobody has used or judged will count as ignored
        {withoutOutcome > 0 && ` (${withoutOutcome} without an outcome are shown here)`}, and the server
        learns from that. An outcome that is reported later still counts instead.
      </p>
      <p class="muted">
        A session belongs to the credential and user that searched in it. This ends the session of{' '}
        {who.user ?? 'your credential'}; searches that others made under the same name stay open.
      </p>
    </Confirm>
  );
}
