// Other wordings of the complex questions of orgmem, to measure plans on templates that no rule was written against.
import type { Query } from '../ranking/datasets.ts';

/**
 * A template of a type of question, and how else people ask the same. `$1` is what the first group matched; braces are left out if
 * their group matched nothing.
 */
interface Rewording {
  readonly type: string;
  readonly template: RegExp;
  readonly wordings: readonly string[];
}

const REWORDINGS: readonly Rewording[] = [
  {
    type: 'team_stage_since',
    template: /^\w+ all (\w+) \w+ (?:of|owned by) (SIG .+?) (?:with|since) .*?v([\d.]+)/,
    wordings: [
      'Show me what $2 has in $1 as of v$3 and newer',
      'Which $1 KEPs belonging to $2 had their latest milestone in $3 or higher?',
    ],
  },
  {
    type: 'team_status',
    template: /^\w+ all implementable alpha work of (SIG .+)/,
    wordings: [
      'Which alpha KEPs does $1 have with status implementable?',
      'What is implementable and in alpha at $1?',
    ],
  },
  {
    type: 'team_status',
    template: /^\w+ all enhancements (SIG .+) implemented before v([\d.]+)/,
    wordings: [
      'Which KEPs did $1 finish (status implemented) earlier than $2?',
      'Give me the implemented $1 proposals whose latest milestone is older than v$2',
    ],
  },
  {
    type: 'team_status',
    template: /^\w+ all (\w+) enhancements of (SIG .+)/,
    wordings: ['Which $2 proposals are $1?', 'I need every KEP in $2 whose status is $1'],
  },
  {
    type: 'two_teams_release',
    template: /^Compare what (SIG .+) and (SIG .+) targeted for (\w+) in v([\d.]+)/,
    wordings: ['What went $3 in $4 for $1 and for $2?', 'KEPs of $1 versus $2 with $3 milestone v$4'],
  },
  {
    type: 'author_across_teams',
    template: /(@\S+)/,
    wordings: ['Everything written by $1, whichever SIG it belongs to', 'Which KEPs list $1 as an author?'],
  },
  {
    type: 'linked_proposals',
    template: /("[^"]+")/,
    wordings: [
      'What does $1 see also, replace, or get superseded by?',
      'I want all KEPs connected with $1: links, predecessors, successors',
    ],
  },
  {
    type: 'compare_teams_term',
    template: /^What is the difference between the (.+) proposals of (SIG .+) and (SIG .+)\?/,
    wordings: ['How do $2 and $3 differ on $1?', '$1: proposals from $2 on one side, from $3 on the other'],
  },
  {
    type: 'compare_teams_term',
    template: /^Compare how (SIG .+) and (SIG .+) approach (.+)/,
    wordings: ['How do $1 and $2 differ on $3?', '$3: proposals from $1 on one side, from $2 on the other'],
  },
  {
    type: 'which_teams_term',
    template: /^(?:Which teams have enhancements about|Find all work on) (.+?)(?: across all SIGs|\?)/,
    wordings: ['Who is working on $1, in any SIG?', 'List KEPs on $1 from every SIG that has one'],
  },
  {
    type: 'across_orgs_term',
    template: /^Compare the proposals about (.+) across the (.+?)(?:, (\w+))? and (\w+) orgs/,
    wordings: [
      'How is $1 proposed in $2{, $3} and $4?',
      'Proposals on $1 from $2 as against those from $4{ and $3}',
    ],
  },
  {
    type: 'meetings_on_project',
    template: /(KEP-\d+) (\(.+\))\?/,
    wordings: ['When did $1 come up in meetings, and what was said?', 'Meeting notes that mention $1 $2'],
  },
  {
    type: 'project_history',
    template: /("[^"]+")/,
    wordings: [
      'How did $1 develop, commit by commit?',
      'What was edited in $1 and by whom, from first to last?',
    ],
  },
  {
    type: 'topic_status_since',
    template: /^Summarize all (\w+) (\w+) PEPs(?: created since (\d+))?/,
    wordings: ['Which PEPs on $2 are $1{, starting in $3}?', 'PEPs, topic $2, status $1{, from $3 onwards}'],
  },
  {
    type: 'topic_status_since',
    template: /^List every (\w+) proposal with status (\w+)(?: from (\d+) or later)?/,
    wordings: ['Which PEPs on $1 are $2{, starting in $3}?', 'PEPs, topic $1, status $2{, from $3 onwards}'],
  },
  {
    type: 'compare_versions',
    template: /the (\w+) PEPs accepted for Python ([\d.]+) with those for Python ([\d.]+)/,
    wordings: [
      'Which $1 PEPs landed in Python $2, and which in $3?',
      'What changed for $1 between Python $2 and Python $3? List the PEPs of each',
    ],
  },
  {
    type: 'depends_on',
    template: /(EIP-\d+) (\(.+\))\?/,
    wordings: ['What builds on $1?', 'Show every EIP whose requires field has $1'],
  },
  {
    type: 'category_status_since',
    template: /^Summarize all (\w+) EIPs with status (.+?)(?: created since (\d+))?$/,
    wordings: ['Which $1 EIPs are $2{, starting in $3}?', 'EIPs, category $1, status $2{, from $3 onwards}'],
  },
  {
    type: 'across_departments_term',
    template: /^(?:What do the different departments document about|Find all) (.+?)(?:\?| guidelines)/,
    wordings: ['How does each department deal with $1?', 'Handbook pages on $1, from whatever department'],
  },
];

/** Every question of a known template, in each of its other wordings. */
export function reworded(queries: readonly Query[]): Query[] {
  return queries.flatMap((query) => {
    const match = REWORDINGS.filter(({ type }) => type === query.type)
      .map(({ template, wordings }) => ({ groups: template.exec(query.query), wordings }))
      .find(({ groups }) => groups !== null);
    return (match?.wordings ?? []).map((wording) => ({ ...query, query: filled(wording, match!.groups!) }));
  });
}

function filled(wording: string, groups: readonly (string | undefined)[]): string {
  return wording
    .replaceAll(/\{([^}]*\$(\d)[^}]*)\}/g, (_, part: string, group: string) =>
      groups[Number(group)] ? part : '',
    )
    .replaceAll(/\$(\d)/g, (_, group: string) => groups[Number(group)] ?? '');
}
