import type { LinkType } from '@stratalog/client';
import { useState } from 'preact/hooks';
import { useAsk, useChange } from '../../app/use-ask.ts';
import { Trouble } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { linkTypes, linkWords } from './link-words.ts';

/** Links a memory to another one, which is shown before. */
export function LinkMemory({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const [type, setType] = useState<LinkType>('related');
  const [typed, setTyped] = useState('');
  // An address of this console is as good as an id.
  const target = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(typed)?.[0] ?? '';
  const other = useAsk('memories.get', [target, {}], { enabled: target !== '', keepsPrevious: false });
  const link = useChange('memories.link');
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    if (await link.run([id, type, target, {}])) onDone();
  };
  return (
    <form class="dialog-form" onSubmit={(event) => void send(event)}>
      <Select
        label="This memory"
        value={type}
        onValue={(value) => setType(value as LinkType)}
        choices={linkTypes.map((one) => [one, linkWords(one, 'outgoing')] as const)}
      />
      <label>
        Id or address of the other memory
        <input value={typed} onInput={({ currentTarget }) => setTyped(currentTarget.value)} />
      </label>
      {other.error && <Trouble error={other.error} />}
      {other.answer && <LongText text={other.answer.content} />}
      {link.error && <Trouble error={link.error} />}
      <Button kind="primary" type="submit" disabled={link.isRunning || !other.answer || target === id}>
        Link
      </Button>
    </form>
  );
}
