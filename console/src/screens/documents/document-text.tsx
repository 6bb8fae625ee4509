import { useState } from 'preact/hooks';
import { useAt } from '../../app/time-bar.tsx';
import { useAsk } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';

/** So many characters are drawn at a time. */
const shownCharacters = 50_000;

/** The text that was read from the file, as Markdown. `isRead` is false if no revision could be read. */
export function DocumentText({ id, isRead }: { readonly id: string; readonly isRead: boolean }) {
  const at = useAt();
  const [shown, setShown] = useState(shownCharacters);
  const asked = useAsk('documents.text', [id, { ...(at && { asOf: at }) }], {
    enabled: isRead,
    keepsPrevious: false,
  });
  if (!isRead) return <Empty title="No file of it could be read">Its problem above says why.</Empty>;
  return (
    <Answer of={asked} what="the text">
      {({ text, revision }) => (
        <section class="stack" aria-label="Text">
          <p class="muted">
            {text.length.toLocaleString()} characters, of revision {revision}
            {text.length > shown && `; the first ${shown.toLocaleString()} are shown`}
          </p>
          <pre class="document-text" tabIndex={0} dir="auto">
            {text.slice(0, shown)}
          </pre>
          {text.length > shown && (
            <div>
              <Button onClick={() => setShown(shown + shownCharacters * 4)}>Show more</Button>
            </div>
          )}
        </section>
      )}
    </Answer>
  );
}
