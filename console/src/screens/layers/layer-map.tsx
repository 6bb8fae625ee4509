import type { Stats } from '@stratalog/client';
import { useAddress } from '../../app/address.tsx';
import { layers } from '../../app/vocabulary.ts';
import { bytesText } from '../../ui/quantity.ts';
import { layerMeanings } from './scopes.ts';

/** The seven layers from the most to the least specific, with what they hold. One of them can be chosen. */
export function LayerMap({ stats }: { readonly stats: Stats }) {
  const { values, set } = useAddress();
  const found = new Map(stats.layers.map((one) => [one.layer, one]));
  const most = Math.max(1, ...stats.layers.map(({ active }) => active));
  return (
    <ol class="layer-map" aria-label="Layers, the most specific first">
      {layers.map((layer) => {
        const { active = 0, archived = 0, deleted = 0, bytes = 0 } = found.get(layer) ?? {};
        const isChosen = values['layer'] === layer;
        return (
          <li key={layer}>
            <button
              type="button"
              aria-pressed={isChosen}
              onClick={() => set({ layer: isChosen ? undefined : layer }, 'push')}
            >
              <span class="layer-name">
                <strong>{layer}</strong> <span class="muted">{layerMeanings[layer]}</span>
              </span>
              <span class="layer-bar">
                <span style={{ width: `${(active / most) * 100}%` }} />
              </span>
              <span class="number">
                {active.toLocaleString()} {active === 1 ? 'memory' : 'memories'}
              </span>
              <span class="muted number">
                {[
                  bytesText(bytes),
                  archived > 0 && `${archived.toLocaleString()} archived`,
                  deleted > 0 && `${deleted.toLocaleString()} deleted`,
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </button>
          </li>
        );
      })}
    </ol>
  );
}
