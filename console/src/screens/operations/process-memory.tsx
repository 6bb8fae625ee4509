import { Panel } from '../../ui/page.tsx';
import { bytesText } from '../../ui/quantity.ts';
import { Figure } from '../../ui/table.tsx';
import { sumOf, type Sample } from './metrics.ts';

/** Memory of the process, as far as it is measured. */
export function ProcessMemory({ samples }: { readonly samples: readonly Sample[] }) {
  const caches = [
    ['Cached words', 'stratalog_words_in_memory'],
    ['Cached vectors', 'stratalog_vectors_in_memory'],
  ] as const;
  return (
    <Panel title="Memory of this process" note="the caches of searches">
      <div class="figures">
        {caches.map(([name, metric]) => {
          const size = sumOf(samples, `${metric}_size`);
          const count = sumOf(samples, metric);
          return (
            <Figure
              key={name}
              name={name}
              value={size === undefined ? 'not measured' : bytesText(size)}
              note={count !== undefined && `of ${count.toLocaleString()} memories`}
            />
          );
        })}
      </div>
    </Panel>
  );
}
