import { useState } from 'preact/hooks';
import { useSession } from '../../app/session.tsx';
import { Button } from '../../ui/button.tsx';
import { Candidate } from './candidate.tsx';

/** Opens the evaluation of a version, with the command that puts it in force. */
export function PromoteVersion({ version }: { readonly version: string }) {
  const { may } = useSession();
  const [isOpen, setOpen] = useState(false);
  if (!may('promotePolicy') || !may('evaluatePolicy')) return null;
  return isOpen ? (
    <Candidate version={version} />
  ) : (
    <div>
      <Button onClick={() => setOpen(true)}>Evaluate {version}, and promote it</Button>
    </div>
  );
}
