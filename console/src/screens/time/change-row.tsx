import { isProblem } from '@stratalog/client';
import { Link } from '../../app/address.tsx';
import { useAsk, type Asked } from '../../app/use-ask.ts';
import { Loading, Trouble } from '../../ui/answer.tsx';
import { Badge } from '../../ui/badge.tsx';
import { TextDiff } from '../../ui/text-diff.tsx';
import { Time } from '../../ui/time.tsx';
import { describeEvent } from '../audit/describe.ts';
import type { MemoryChange } from './changes.ts';

const tones = { added: 'good', changed: 'warn', removed: 'danger', brief: 'plain' } as const;
const words = { added: 'added', changed: 'changed', removed: 'removed', brief: 'added and removed' } as const;

interface Props {
  readonly change: MemoryChange;
  readonly from: string;
  /** Undefined for now. */
  readonly to: string | undefined;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** One memory that changed. It opens in its place and shows both texts. */
export function ChangeRow({ change, from, to, isOpen, onToggle }: Props) {
  const { id, kind, text, lastAt, actors, spaces } = change;
  return (
    <article class="row">
      <button type="button" class="event-summary" aria-expanded={isOpen} onClick={onToggle}>
        <span class="row-text" dir="auto">
          <Badge tone={tones[kind]}>{words[kind]}</Badge> {text ?? id}
        </span>
        <span class="badges muted">
          <Time at={lastAt} />
          <span>{actors.join(', ')}</span>
          {spaces.map((space) => (
            <Badge key={space} tone="accent">
              {space}
            </Badge>
          ))}
        </span>
      </button>
      {isOpen && <BeforeAndAfter change={change} from={from} to={to} />}
    </article>
  );
}

function BeforeAndAfter({ change, from, to }: Pick<Props, 'change' | 'from' | 'to'>) {
  const { id, kind, events } = change;
  const isNew = kind === 'added' || kind === 'brief';
  const before = useAsk('memories.get', [id, { includeQuarantined: 'true', asOf: from }], {
    enabled: !isNew,
    once: true,
  });
  const after = useAsk('memories.get', [id, { includeQuarantined: 'true', ...(to && { asOf: to }) }], {
    once: true,
  });
  const [old, young] = [isNew ? '' : textOf(before), textOf(after)];
  const error = [before, after].map((one) => one.error).find((one) => one && !isAbsence(one));
  return (
    <div class="event-details">
      {error && <Trouble error={error} />}
      {old === undefined || young === undefined ? (
        !error && <Loading what="both texts" />
      ) : (
        <TextDiff before={old} after={young} />
      )}
      <ul>
        {events.map(({ id: key, type, at, actor, reason }) => (
          <li key={key}>
            {describeEvent(type)} by {actor} · <Time at={at} exact />
            {reason !== undefined && ` · ${reason}`}
          </li>
        ))}
      </ul>
      <Link to={`/memories/${id}`}>Open the memory</Link>
    </div>
  );
}

/** The text of a memory; empty if it did not exist or is deleted; undefined while it is loading. */
function textOf({
  answer,
  error,
}: Asked<{ readonly content: string; readonly state: string }>): string | undefined {
  if (answer) return answer.state === 'deleted' ? '' : answer.content;
  return error && isAbsence(error) ? '' : undefined;
}

/** At the beginning of the log, nothing was there yet. */
const isAbsence = (error: Error): boolean => isProblem(error, 'not-found');
