/** Stream names are `<category>-<tenant>.<id>`. Tenant ids contain neither `-` nor `.`, so both are safe separators. */
type Name = `${string}-${string}.${string}`;

export const memoryStream = (tenant: string, memoryId: string): Name => `memory-${tenant}.${memoryId}`;
/** How often the memory was told again. Beside its own stream, so that loading the memory does not depend on it. */
export const affirmationsStream = (tenant: string, memoryId: string): Name =>
  `memory-${tenant}.${memoryId}.affirmed`;
export const linksStream = (tenant: string, sourceId: string): Name => `links-${tenant}.${sourceId}`;
/** The memories that refer to something, and those that are it; `pseudonym` is that of its `ReferenceKey`. */
export const referenceStream = (tenant: string, pseudonym: string): Name =>
  `links-${tenant}.reference.${pseudonym}`;
export const feedbackStream = (tenant: string, memoryId: string): Name => `feedback-${tenant}.${memoryId}`;
export const factStream = (tenant: string, pseudonym: string): Name => `fact-${tenant}.${pseudonym}`;
export const claimStream = (tenant: string, pseudonym: string): Name => `claim-${tenant}.${pseudonym}`;
/** `pseudonym` is that of `summaryScopeKey`: identifiers may contain any character. */
export const summaryStream = (tenant: string, pseudonym: string): Name => `summary-${tenant}.${pseudonym}`;
export const traceStream = (tenant: string, traceId: string): Name => `trace-${tenant}.${traceId}`;
export const lessonStream = (tenant: string, lessonId: string): Name => `strategy-${tenant}.${lessonId}`;
export const retrievalStream = (tenant: string, searchId: string): Name => `retrieval-${tenant}.${searchId}`;
/** Named by the search's id without its signature, like the stream of the search itself. */
export const outcomeStream = (tenant: string, searchId: string): Name => `outcome-${tenant}.${searchId}`;
/** Which results of a search were used. Kept beside its outcome. */
export const useStream = (tenant: string, searchId: string): Name => `outcome-${tenant}.${searchId}.use`;
/** `session` is `sessionKeyOf`: session ids are personal. */
export const sessionStream = (tenant: string, session: string): Name => `session-${tenant}.${session}`;
export const tenantStream = (tenant: string): Name => `tenant-${tenant}.${tenant}`;
export const routingStream = (tenant: string): Name => `policy-${tenant}.routing`;
/** What a tenant's route policy learned, and which version has traffic. For the system tenant, this is the global base. */
export const routePolicyStream = (tenant: string): Name => `policy-${tenant}.route`;
/** Whether the values of memories change the ranking of a tenant. */
export const valuesStream = (tenant: string): Name => `policy-${tenant}.values`;
/** The budget of a tenant, and the months that its ledger has. */
export const budgetStream = (tenant: string): Name => `ledger-${tenant}.budget`;
/** What a tenant has reserved and spent in a month, such as `2026-11`. */
export const ledgerStream = (tenant: string, month: string): Name => `ledger-${tenant}.${month}`;
/** What the callers of a tenant may ask for. */
export const limitsStream = (tenant: string): Name => `policy-${tenant}.limits`;
/** Which documents without spaces go to which. */
export const contentRoutingStream = (tenant: string): Name => `policy-${tenant}.content-routing`;
export const experienceStream = (tenant: string): Name => `policy-${tenant}.experience`;
export const summarySettingsStream = (tenant: string): Name => `policy-${tenant}.summaries`;
/** All spaces that a tenant has configured. */
export const spacesStream = (tenant: string): Name => `space-${tenant}.spaces`;
/** Memories of a space that say the same. */
export const duplicatesStream = (tenant: string, clusterId: string): Name =>
  `duplicates-${tenant}.${clusterId}`;
export const documentStream = (tenant: string, documentId: string): Name =>
  `document-${tenant}.${documentId}`;
/** What was read from the files of a document. Beside its own stream, so that loading the document does not load its texts. */
export const documentTextStream = (tenant: string, documentId: string): Name =>
  `document-${tenant}.${documentId}.text`;
/** All sources that a tenant has configured. */
export const sourcesStream = (tenant: string): Name => `source-${tenant}.sources`;
/** The runs of a source. Beside the configurations, so that loading these does not load every run. */
export const sourceRunsStream = (tenant: string, sourceId: string): Name =>
  `source-${tenant}.run.${sourceId}`;
/** What was said in one conversation, and the facts that were drawn from it. */
export const conversationStream = (tenant: string, conversationId: string): Name =>
  `conversation-${tenant}.${conversationId}`;
/** Which facts of conversations are live, and those that were made anew. */
export const factGenerationsStream = (tenant: string): Name => `conversation-${tenant}.generations`;
/** One kill switch for all tenants. */
export const killSwitchStream: Name = 'policy-system.kill-switch';
/** The signed heads of the tree over the whole log. */
export const checkpointStream: Name = 'checkpoint-system.log';
export const cosignatureStream: Name = 'checkpoint-system.cosignatures';
/** From which logs this one was restored. */
export const restoreStream: Name = 'checkpoint-system.restores';
/** Read models are shared by all tenants, so their operational events belong to the system tenant. */
export const projectionStream = (projection: string): Name => `projection-system.${projection}`;

/** What becomes of an erasure. That of a single memory has the memory's id, so that it is recorded once. */
export const erasureStream = (tenant: string, erasureId: string): Name => `erasure-${tenant}.${erasureId}`;

/** The tenant in the name of a stream. */
export function tenantOfStream(stream: string): string {
  return stream.slice(stream.indexOf('-') + 1, stream.indexOf('.'));
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether `text` has the form of a memory id (UUIDv7). Other ids get the same response as unknown ones. */
export function isMemoryId(text: string): boolean {
  return uuidPattern.test(text);
}
