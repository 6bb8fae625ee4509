import { useRef, useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';

interface FileDropProps {
  readonly onFiles: (files: readonly File[]) => void;
  readonly isMany?: boolean;
  readonly label?: string;
}

/** A place to drop files on, with a button that does the same. */
export function FileDrop({ onFiles, isMany = false, label }: FileDropProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null | undefined) => {
    const all = [...(files ?? [])];
    if (all.length > 0) onFiles(isMany ? all : all.slice(0, 1));
  };
  return (
    <div
      class={isOver ? 'file-drop over' : 'file-drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files);
      }}
    >
      <span class="muted">{label ?? `Drop ${isMany ? 'files' : 'a file'} here, or`}</span>
      <Button onClick={() => input.current?.click()}>Choose {isMany ? 'files' : 'a file'}…</Button>
      <input
        ref={input}
        type="file"
        multiple={isMany}
        hidden
        aria-label={isMany ? 'Files' : 'File'}
        onChange={({ currentTarget }) => {
          take(currentTarget.files);
          currentTarget.value = '';
        }}
      />
    </div>
  );
}
