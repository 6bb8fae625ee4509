import type { StoredMemory } from '@stratalog/client';
import { isProblem } from '@stratalog/client';
import { useRoute } from 'preact-iso';
import { Link } from '../../app/address.tsx';
import { useSession } from '../../app/session.tsx';
import { useAt } from '../../app/time-bar.tsx';
import { useAsk } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { About } from './about.tsx';
import { Actions } from './actions.tsx';
import { Derived } from './derived.tsx';
import { Links } from './links.tsx';
import { NextAndPrevious } from './next-and-previous.tsx';
import { Prompts } from './prompts.tsx';
import { Readers } from './readers.tsx';
import { Versions } from './versions.tsx';
import './memory.css';

/** One memory: what it is, where it is from, who changed and read it, what it led to. */
export default function Memory() {
  const { id = '' } = useRoute().params;
  const at = useAt();
  const { may } = useSession();
  const memory = useAsk('memories.get', [id, { includeQuarantined: 'true', ...(at && { asOf: at }) }], {
    keepsPrevious: false,
  });
  const isMissing = memory.answer === undefined && isProblem(memory.error, 'not-found');
  return (
    <Page
      title="Memory"
      question="What is it, where is it from, who changed and read it, what did it lead to?"
      followsTime
      actions={<NextAndPrevious id={id} />}
    >
      {isMissing ? (
        <Missing id={id} />
      ) : (
        <Answer of={memory} what="the memory">
          {(found) => (
            <div class="stack">
              <About memory={found} />
              {at === undefined && <Actions memory={found} />}
            </div>
          )}
        </Answer>
      )}
      {memory.answer && <Parts memory={memory.answer} mayAudit={may('auditEvents')} />}
    </Page>
  );
}

function Parts({ memory, mayAudit }: { readonly memory: StoredMemory; readonly mayAudit: boolean }) {
  return (
    <>
      <Links memory={memory} />
      <Versions id={memory.id} revision={memory.revision} />
      {mayAudit && (
        <div class="grid">
          <Prompts id={memory.id} />
          <Readers id={memory.id} />
        </div>
      )}
      <Derived memory={memory} />
    </>
  );
}

function Missing({ id }: { readonly id: string }) {
  const { may } = useSession();
  return (
    <Empty title="There is no such memory for you here">
      It was erased, did not exist at the chosen time, or is in a scope that your key does not see.{' '}
      {may('auditEvents') && (
        <Link to="/audit" values={{ memory: id }}>
          See what the audit knows of it
        </Link>
      )}
    </Empty>
  );
}
