import type { WhatIf as Asked } from '@stratalog/client';
import { useState } from 'preact/hooks';
import { useAddress } from '../../app/address.tsx';
import { useAsk } from '../../app/use-ask.ts';
import { Loading, Trouble } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, Filters, Select } from '../../ui/field.tsx';
import { WhatIfAnswers } from './what-if-answers.tsx';

const trusts = ['user', 'agent', 'tool', 'document', 'web', 'import'] as const;

/** How long one call waits for the server. A repeated call continues with what is already done. */
const waitMs = 30_000;

/** A field counts this long after the last letter, so that the button is ready before it is reached. */
const pauseMs = 200;

/** What would have been answered without the events of one source or actor. */
export function WhatIf() {
  const { values, set } = useAddress();
  const { memory, actor, source, feedbackOf, search, query, from, to } = values;
  const trust = trusts.find((one) => one === values['trust']);
  const [asked, setAsked] = useState<Asked>();
  const without = {
    ...(memory && { memories: [memory] }),
    ...(actor && { actor }),
    ...(source && { source }),
    ...(trust && { trust }),
    ...(feedbackOf && { feedbackOf }),
    ...(from && { from }),
    ...(to && { to }),
  };
  const searches = (search ?? '').split(/[\s,]+/).filter((id) => id !== '');
  const isComplete = Object.keys(without).length > 0 && (searches.length > 0 || Boolean(query));
  const answer = useAsk('audit.whatIf', [asked ?? { without: {} }], {
    enabled: asked !== undefined,
    once: true,
    keepsPrevious: false,
  });
  return (
    <>
      <p class="muted">
        Would the answer have been different without a poisoned memory, a source or an actor? The server fills
        the read models from the log twice: with all events, and without those that meet all conditions below.
      </p>
      <Filters aria-label="What is left out, and what is asked">
        <Field
          label="Without this memory"
          value={memory ?? ''}
          pauseMs={pauseMs}
          onValue={(value) => set({ memory: value.trim() })}
        />
        <Field
          label="Without the actor"
          value={actor ?? ''}
          pauseMs={pauseMs}
          onValue={(value) => set({ actor: value.trim() })}
        />
        <Field
          label="Without the source (metadata)"
          value={source ?? ''}
          onValue={(value) => set({ source: value.trim() })}
        />
        <Select
          label="Without what came from"
          value={trust ?? ''}
          onValue={(value) => set({ trust: value })}
          choices={[['', 'any'], ...trusts.map((one) => [one, one] as const)]}
        />
        <Field
          label="Without the feedback of"
          value={feedbackOf ?? ''}
          pauseMs={pauseMs}
          onValue={(value) => set({ feedbackOf: value.trim() })}
        />
        <Field
          label="Ids of searches"
          value={search ?? ''}
          pauseMs={pauseMs}
          onValue={(value) => set({ search: value })}
        />
        <Field
          label="Or a question, asked now"
          value={query ?? ''}
          pauseMs={pauseMs}
          onValue={(value) => set({ query: value })}
        />
        <Button
          kind="primary"
          disabled={!isComplete}
          onClick={() =>
            setAsked({ without, waitMs, ...(searches.length > 0 && { searches }), ...(query && { query }) })
          }
        >
          Compare
        </Button>
      </Filters>
      {answer.error && <Trouble error={answer.error} onRepeat={answer.repeat} />}
      {asked && answer.isFetching && <Loading what="the comparison, which may take minutes" />}
      {asked && answer.answer && <WhatIfAnswers answer={answer.answer} />}
    </>
  );
}
