/**
 * Names that other programs use for a field of an input, in lower case and without separators. Only a hint in an error message depends
 * on them. A name may be a synonym of several fields; only fields that the operation has are suggested.
 */
const synonyms: Readonly<Record<string, string>> = {
  query: 'q question text prompt search input ask term terms searchterm querytext',
  topK: 'limit k n top size count max maxresults numresults nresults results number pagesize perpage',
  tokenBudget: 'budget tokens maxtokens limit tokenlimit max size',
  limit: 'topk k n top size count max maxresults numresults results pagesize perpage first take',
  threshold: 'score minscore scorethreshold cutoff relevance minrelevance similarity minsimilarity',
  order: 'sort sortby orderby ordering rank rankby',
  cursor: 'page pagetoken nextcursor nextpage nexttoken offset skip continuation',
  includeSuperseded: 'superseded showsuperseded includeoutdated outdated',
  sessionId: 'conversation conversationid thread threadid chatid',
  mode: 'route',
  asOf: 'at when time version snapshot timetravel',
  now: 'today currenttime currentdate referencetime',
  minPosition: 'position afterposition atposition consistency',
  waitMs: 'wait timeout timeoutms maxwait maxwaitms',
  filter: 'filters where condition conditions',
  content: 'text body message memory value data input document note',
  layer: 'level tier',
  layers: 'level tier',
  scope: 'scopes',
  space: 'namespace collection',
  spaces: 'namespace collection',
  tag: 'label keyword category topic',
  tags: 'label keyword category topic',
  metadata: 'meta attributes properties props custom extra',
  externalId: 'key ref reference sourceid customid',
  occurredAt: 'timestamp date time when at happenedat eventtime validfrom createdat created',
  retention: 'keep pin pinned',
  representations: 'representation',
  subject: 'datasubject',
  onConflict: 'conflict conflicts',
  state: 'status',
  createdAfter: 'after since from start startdate',
  createdBefore: 'before until to end enddate',
  from: 'since start after',
  to: 'until end before',
  follow: 'tail watch live',
  expectedRevision: 'revision ifmatch etag',
  ids: 'memory memories memoryids id',
  kind: 'type feedback rating',
  score: 'rating value weight',
  note: 'comment text message',
  confidence: 'weight strength score probability',
  types: 'kinds relations linktypes',
  linkTypes: 'types kinds relations',
  depth: 'hops maxdepth maxhops levels',
  org: 'organization organisation organizationid organisationid orgid',
  orgs: 'organization organisation orgid',
  team: 'teamid group',
  teams: 'teamid group',
  project: 'projectid repo repository',
  projects: 'projectid repo repository',
  session: 'sessionid conversation conversationid thread threadid',
  sessions: 'sessionid',
  user: 'userid username',
  users: 'userid username',
  agent: 'agentid bot',
  agents: 'agentid bot',
  company: 'companyid tenant tenantid',
  tenant: 'tenantid company',
  role: 'permission',
  name: 'title label description',
  expiresAt: 'expires expiry expiration validuntil',
};

/** Whether a caller who sends `name` may mean `field`. Both are compared without case, separators and a plural's `s`. */
export function isSynonym(name: string, field: string): boolean {
  return plainSynonyms.get(plainName(field))?.has(plainName(name)) ?? false;
}

/** `top_k`, `TopK` and `top-k` are one name, as are `tag` and `tags`. */
export function plainName(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return plain.length > 3 ? plain.replace(/s$/, '') : plain;
}

/** By plain names of fields, so that `top_k` has the synonyms of `topK`. */
const plainSynonyms = new Map<string, Set<string>>();
for (const [field, names] of Object.entries(synonyms)) {
  const known = plainSynonyms.get(plainName(field)) ?? [];
  plainSynonyms.set(plainName(field), new Set([...known, ...names.split(' ').map(plainName)]));
}
