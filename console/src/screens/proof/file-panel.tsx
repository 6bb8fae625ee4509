import { useState } from 'preact/hooks';
import { Panel } from '../../ui/page.tsx';
import { Checks } from './checks.tsx';
import { useVerdict } from './use-verdict.ts';
import { verifyFile } from './verify-file.ts';

/** No proof, head or receipt is larger. */
const maxBytes = 1_000_000;

/** A proof, a signed head or a receipt from elsewhere. It is read in this browser and sent nowhere. */
export function FilePanel({ verifierKey }: { readonly verifierKey: string }) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState('');
  const read = async (file: File | undefined) => {
    setProblem('');
    if (!file) return;
    if (file.size > maxBytes)
      setProblem(`${file.name} is larger than a megabyte, so it is not a proof, a head or a receipt.`);
    else setText(await file.text());
  };
  return (
    <Panel
      title="A file from elsewhere"
      note="a .tlog-proof, a signed head, or a receipt as JSON; nothing is sent"
    >
      <label class="wide-label">
        Choose a file
        <input type="file" onChange={({ currentTarget }) => void read(currentTarget.files?.[0])} />
      </label>
      <label class="wide-label">
        Or paste its text
        <textarea
          rows={text === '' ? 2 : 6}
          value={text}
          spellcheck={false}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      {problem !== '' && <p class="problem">{problem}</p>}
      {text.trim() !== '' && <Verified text={`${text.trimEnd()}\n`} verifierKey={verifierKey} />}
    </Panel>
  );
}

function Verified({ text, verifierKey }: { readonly text: string; readonly verifierKey: string }) {
  return <Checks verdict={useVerdict(() => verifyFile(text, verifierKey), [text, verifierKey])} />;
}
