import { Button } from '../../ui/button.tsx';

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
  const save = () => {
    const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
    const link = Object.assign(document.createElement('a'), { href: address, download: name });
    link.click();
    URL.revokeObjectURL(address);
  };
  return (
    <Button kind="quiet" onClick={save}>
      {label}
    </Button>
  );
}
