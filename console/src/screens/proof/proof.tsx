import { useAsk } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Page } from '../../ui/page.tsx';
import { EventPanel } from './event-panel.tsx';
import { FilePanel } from './file-panel.tsx';
import { HeadsPanel } from './heads-panel.tsx';
import { KeyPanel } from './key-panel.tsx';
import { ReceiptPanel } from './receipt-panel.tsx';
import { useVerifierKey } from './use-verifier-key.ts';
import './proof.css';

/** Verifies in this browser what the server claims about its log. */
export default function Proof() {
  const kept = useVerifierKey();
  const heads = useAsk('audit.heads', [{ limit: 50 }]);
  return (
    <Page
      title="Proof"
      question="Is the record genuine? Everything here is verified in this browser, not by the server."
    >
      <KeyPanel kept={kept} offered={heads.answer?.verifierKey} />
      <Answer of={heads} what="the signed heads">
        {(answer) => {
          const verifierKey = kept.key ?? answer.verifierKey;
          return (
            <div class="stack">
              <EventPanel verifierKey={verifierKey} />
              <HeadsPanel heads={answer} verifierKey={verifierKey} />
              <ReceiptPanel verifierKey={verifierKey} />
              <FilePanel verifierKey={verifierKey} />
            </div>
          );
        }}
      </Answer>
      <p class="muted">
        A proof shows which event is in the log, with the hash of its stored bytes, and that the log had it
        when the head was signed. It does not show that what the event says is true, and the browser cannot
        see whether the text that the server decrypts is that of these bytes: for that, verify a backup with{' '}
        <code>stratalog audit verify --data</code>.
      </p>
    </Page>
  );
}
