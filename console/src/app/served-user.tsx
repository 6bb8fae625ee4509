import { useEffect, useState } from 'preact/hooks';
import { problemText } from '../ui/answer.tsx';
import { useSession } from './session.tsx';

/** Asks an agent for which user it acts: without one it sees no memory of a user and stores none. */
export function ServedUser() {
  const { servedUser = '', serve } = useSession();
  const [typed, setTyped] = useState(servedUser);
  const [error, setError] = useState('');
  useEffect(() => setTyped(servedUser), [servedUser]);
  if (!serve) return null;
  const submit = async () => {
    setError('');
    await serve(typed.trim()).catch((cause: Error) => setError(problemText(cause)));
  };
  return (
    <form
      class="served-user"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <label>
        For user
        <input
          value={typed}
          placeholder="nobody"
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          onBlur={() => typed.trim() !== servedUser && void submit()}
          aria-invalid={error !== ''}
        />
      </label>
      {error !== '' && (
        <span class="problem" role="alert">
          {error}
        </span>
      )}
    </form>
  );
}
