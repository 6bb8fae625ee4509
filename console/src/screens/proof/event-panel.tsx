import { useAddress } from '../../app/address.tsx';
import { useAsk } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Field } from '../../ui/field.tsx';
import { Panel } from '../../ui/page.tsx';
import { Checks } from './checks.tsx';
import { Download } from './download.tsx';
import { useVerdict } from './use-verdict.ts';
import { verifyProof, type ShownEvent } from './verify.ts';

/** The proof that one event is in the log, verified in this browser. */
export function EventPanel({ verifierKey }: { readonly verifierKey: string }) {
  const { values, set } = useAddress();
  const position = values['position'] ?? '';
  const proof = useAsk('audit.proof', [position], {
    enabled: position !== '',
    once: true,
    keepsPrevious: false,
  });
  return (
    <Panel
      title="One event"
      actions={proof.answer !== undefined && <Download text={proof.answer} name="event.tlog-proof" />}
    >
      <Field
        label="Position of the event, as the audit shows it"
        value={position}
        onValue={(value) => set({ position: value.trim() })}
      />
      {position === '' ? (
        <Empty title="No event is chosen">Open an event in the audit and choose “Prove it”.</Empty>
      ) : (
        <Answer of={proof} what="the proof">
          {(text) => <Proven text={text} position={position} verifierKey={verifierKey} />}
        </Answer>
      )}
    </Panel>
  );
}

function Proven(given: { readonly text: string; readonly position: string; readonly verifierKey: string }) {
  const { text, position, verifierKey } = given;
  const bare = useVerdict(() => verifyProof(text, verifierKey), [text, verifierKey]);
  const { leaf } = bare ?? {};
  const shown = useAsk(
    'audit.events',
    [{ stream: leaf?.stream ?? '', ...(leaf && { from: leaf.time }), limit: 500 }],
    {
      enabled: leaf !== undefined,
      once: true,
    },
  );
  const event: ShownEvent | undefined = shown.answer?.items.find((one) => one.position === position);
  const whole = useVerdict(() => verifyProof(text, verifierKey, event), [text, verifierKey, event]);
  return <Checks verdict={event ? whole : bare} />;
}
