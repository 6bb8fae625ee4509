import { useState } from 'preact/hooks';
import { problemText } from '../ui/answer.tsx';
import { Button } from '../ui/button.tsx';

/** Asks for an API key, which stays in this tab. `onKey` rejects if the server does not accept it. */
export function SignIn({ onKey }: { readonly onKey: (key: string) => Promise<void> }) {
  const [key, setKey] = useState('');
  const [error, setError] = useState('');
  const [isChecking, setChecking] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setChecking(true);
    setError('');
    await onKey(key.trim()).catch((cause: Error) => setError(problemText(cause)));
    setChecking(false);
  };
  return (
    <main class="sign-in">
      <form onSubmit={(event) => void submit(event)}>
        <h1>Stratalog</h1>
        <label for="key">API key</label>
        <input
          id="key"
          type="password"
          autocomplete="off"
          value={key}
          onInput={({ currentTarget }) => setKey(currentTarget.value)}
          aria-describedby="key-help"
          aria-invalid={error !== ''}
        />
        <p id="key-help" class="muted">
          It stays in this tab and is forgotten with it. An admin creates one with{' '}
          <code>stratalog keys create</code>.
        </p>
        {error !== '' && (
          <p class="problem" role="alert">
            {error}
          </p>
        )}
        <Button kind="primary" type="submit" disabled={key.trim() === '' || isChecking}>
          {isChecking ? 'Checking…' : 'Open the console'}
        </Button>
      </form>
    </main>
  );
}
