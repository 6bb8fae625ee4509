import type { Space } from '@stratalog/client';
import { Panel } from '../../ui/page.tsx';
import { usdText } from '../../ui/quantity.ts';
import { Facts } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

const yesNo = (value: boolean): string => (value ? 'yes' : 'no');
const listed = (values: readonly string[] | undefined, none: string): string =>
  values === undefined || values.length === 0 ? none : values.join(', ');

/** Every field of the configuration of a space. */
export function SpaceRules({ space }: { readonly space: Space }) {
  const { trust, pii, metadataSchema } = space;
  return (
    <div class="grid">
      <Panel title="What enters, and how long it stays">
        <Facts
          facts={[
            ['description', space.description],
            ['preset', space.preset],
            ['content types', listed(space.acceptedTypes, 'all')],
            ['quality', `at least ${space.qualityThreshold}`],
            ['retention', space.retentionDays === undefined ? 'for ever' : `${space.retentionDays} days`],
            ['largest size', space.maxSizeMb === undefined ? 'no limit' : `${space.maxSizeMb} MB`],
            ['sources', listed(space.sources, 'none')],
            ['sources are read', yesNo(space.autoIngest)],
            [
              'space of a document',
              space.routingStrategy === 'llm_based' ? 'by rules and the language model' : 'by rules',
            ],
          ]}
        />
      </Panel>
      <Panel title="Trust and personal data">
        <Facts
          facts={[
            [
              'held for review',
              trust === undefined || trust.quarantine.length === 0
                ? "what the tenant's policy holds"
                : trust.quarantine
                    .map((rule) =>
                      Object.entries(rule)
                        .map(([name, value]) => `${name} ${value}`)
                        .join(' and '),
                    )
                    .join('; or '),
            ],
            ['reviewers', listed(trust?.reviewers, 'admin')],
            [
              'personal data',
              Object.keys(pii).length === 0
                ? 'the defaults'
                : Object.entries(pii)
                    .map(([type, action]) => `${type}: ${action}`)
                    .join(', '),
            ],
            ['metadata that do not fit', space.metadataPolicy === 'reject' ? 'are refused' : 'are flagged'],
            [
              'metadata schema',
              metadataSchema && (
                <details key="schema">
                  <summary>show</summary>
                  <pre tabIndex={0}>{JSON.stringify(metadataSchema, null, 2)}</pre>
                </details>
              ),
            ],
          ]}
        />
      </Panel>
      <Panel title="Costs and models">
        <Facts
          facts={[
            ['budget of a day', space.dailyBudgetUsd === undefined ? 'none' : usdText(space.dailyBudgetUsd)],
            [
              'budget of a month',
              space.monthlyBudgetUsd === undefined ? 'none' : usdText(space.monthlyBudgetUsd),
            ],
            ['embedding model', space.embeddingModel ?? "the server's"],
            ['language model', space.llmModel ?? "the server's"],
          ]}
        />
      </Panel>
      <Panel title="Duplicates and ranking">
        <Facts
          facts={[
            ['duplicates', space.dedupStrategy],
            ['similarity', space.dedupStrategy === 'semantic' && (space.semanticSimilarityThreshold ?? 0.95)],
            ['older ones rank lower', space.temporalDecayRate === 0 ? 'no' : space.temporalDecayRate],
            ['newest version first', yesNo(space.versionTracking)],
            ['references become links', yesNo(space.citationTracking)],
            ['reasoning traces', yesNo(space.enableReasoningMemory)],
            ['revision', space.revision >= 0 && space.revision],
            ['changed', space.updatedAt && <Time key="at" at={space.updatedAt} />],
          ]}
        />
      </Panel>
    </div>
  );
}
