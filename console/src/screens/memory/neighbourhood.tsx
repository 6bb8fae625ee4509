import type { RelatedMemoriesAnswer } from '@stratalog/client';
import { useAddress } from '../../app/address.tsx';
import { maxNodes, radial } from './radial.ts';

const size = 200;

/** The memories around one, at most 50 of them. The list beside it says the same in words. */
export function Neighbourhood({
  id,
  items,
}: {
  readonly id: string;
  readonly items: RelatedMemoriesAnswer['items'];
}) {
  const { open } = useAddress();
  const nodes = radial(
    id,
    items.map(({ memory, depth, via }) => ({ id: memory.id, depth, via })),
  );
  const places = new Map(nodes.map((node) => [node.id, node]));
  const texts = new Map(items.map(({ memory }) => [memory.id, memory.content]));
  const distinct = new Set(items.map(({ memory }) => memory.id)).size;
  return (
    <figure>
      <svg
        class="neighbourhood"
        viewBox={`${-size - 60} ${-size - 20} ${2 * size + 120} ${2 * size + 40}`}
        role="img"
        aria-label={`${nodes.length - 1} memories around this one`}
      >
        {nodes.slice(1).map((node) => {
          const from = places.get(node.via) ?? nodes[0]!;
          return (
            <line key={node.id} x1={from.x * size} y1={from.y * size} x2={node.x * size} y2={node.y * size} />
          );
        })}
        {nodes.map(({ id: one, x, y, depth }) => (
          <g key={one} transform={`translate(${x * size} ${y * size})`}>
            <circle
              r={depth === 0 ? 9 : 7 - depth}
              class={depth === 0 ? 'centre' : undefined}
              onClick={() => depth > 0 && open(`/memories/${one}`)}
            >
              <title>{texts.get(one) ?? 'this memory'}</title>
            </circle>
            {nodes.length <= 16 && depth > 0 && (
              <text y={-10} text-anchor="middle">
                {(texts.get(one) ?? '').slice(0, 22)}
              </text>
            )}
          </g>
        ))}
      </svg>
      {distinct >= maxNodes && (
        <figcaption class="muted">
          The nearest {nodes.length - 1} of {distinct}. Open one to see what is around it.
        </figcaption>
      )}
    </figure>
  );
}
