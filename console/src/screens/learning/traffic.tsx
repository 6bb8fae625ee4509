import type { Policies } from '@stratalog/client';
import { rounded } from '../../ui/rounded.ts';
import { Panel } from '../../ui/page.tsx';
import { Figure } from '../../ui/table.tsx';

/** Share of the questions that a canary chooses for. */
const canaryShare = 0.5;

/** Which version chooses for which share of the questions, and how far the comparison has got. */
export function Traffic({ policies }: { readonly policies: Policies }) {
  const { inForce, canary, candidate, exploration, needed, looks, decisions, items } = policies;
  const matched = items.find(({ version }) => version === candidate)?.figures?.matched;
  const shares = [
    [inForce, canary === undefined ? 1 : 1 - canaryShare],
    ...(canary === undefined ? [] : [[canary, canaryShare] as const]),
  ] as const;
  const words = shares.map(([version, share]) => `${version}: ${Math.round(share * 100)} %`).join(', ');
  return (
    <Panel title="Traffic" note={words}>
      <div class="traffic" role="img" aria-label={`Share of the questions by version: ${words}`}>
        {shares.map(([version, share]) => (
          <span key={version} title={version} style={{ width: `${share * 100}%` }} />
        ))}
      </div>
      <div class="figures">
        <Figure
          name="Tried on the other route"
          value={`${Math.round(exploration * 100)} %`}
          note="of the questions, to learn"
        />
        <Figure name="Learned from" value={decisions.toLocaleString()} note="finished decisions" />
        {candidate !== inForce && (
          <Figure name="Candidate" value={candidate} note={`compared with ${inForce}`} />
        )}
        <Figure
          name="Evidence of the candidate"
          value={`${rounded(matched ?? 0)} of ${needed.toLocaleString()}`}
          note="matched deviations for the next look"
        />
        <Figure name="Looks" value={looks.toLocaleString()} note="since the traffic last changed" />
      </div>
    </Panel>
  );
}
