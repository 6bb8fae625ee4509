import type { SpacePreset } from '../spaces/space-config.ts';
import type { Spaces } from '../spaces/spaces.ts';
import type { ContentRule } from './rules.ts';

/** The conditions under which a document belongs into a space that was made from a preset. */
const presetConditions: Readonly<Record<SpacePreset, readonly ContentRule['when'][]>> = {
  dev_copilot: [
    { source: ['user_cli', 'editor', 'git_hook', 'git'] },
    { contentType: ['code', 'snippet', 'solution'] },
    {
      path: 'ts tsx js jsx mjs py rs go java kt rb c h cpp cs swift php sh sql'
        .split(' ')
        .map((ending) => `*.${ending}`),
    },
  ],
  salesforce: [
    { sourceDomain: ['salesforce.com', 'salesforceben.com'] },
    {
      contentType: ['documentation', 'api_reference', 'guide', 'tutorial', 'release_notes', 'best_practice'],
      contains: 'salesforce',
    },
    { path: ['*.cls', '*.apex', '*.soql'] },
  ],
  research: [
    { source: ['arxiv_*', 'hn_feed', 'reddit_ml', 'medium_ai_feed', 'tds_feed'] },
    { sourceDomain: ['arxiv.org', 'openreview.net', 'aclanthology.org', 'paperswithcode.com'] },
    { contentType: ['academic_paper', 'preprint'] },
  ],
};

/** The rules that apply while a tenant has none of its own: those of the presets that its spaces were made from. */
export function presetRules({ configured }: Spaces): ContentRule[] {
  return [...configured.values()].flatMap(({ id, config: { preset } }) =>
    preset === undefined ? [] : presetConditions[preset].map((when) => ({ when, spaces: [id] })),
  );
}
