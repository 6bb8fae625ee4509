import { Button } from '../../ui/button.tsx';
import { saveFile } from '../../ui/save-file.ts';

/** Saves a text as a file. */
export function Download({
  text,
  name,
  label = 'Save the file',
}: {
  readonly text: string;
  readonly name: string;
  readonly label?: string;
}) {
  return (
    <Button kind="quiet" onClick={() => saveFile([text], name)}>
      {label}
    </Button>
  );
}
