/** Names of streams: `<category>-<tenant>.<id>`. Tenant ids hold neither `-` nor `.`, so both separate safely. */
type Name = `${string}-${string}.${string}`;

export const memoryStream = (tenant: string, memoryId: string): Name => `memory-${tenant}.${memoryId}`;
export const linksStream = (tenant: string, sourceId: string): Name => `links-${tenant}.${sourceId}`;
export const feedbackStream = (tenant: string, memoryId: string): Name => `feedback-${tenant}.${memoryId}`;
export const claimStream = (tenant: string, pseudonym: string): Name => `claim-${tenant}.${pseudonym}`;
export const retrievalStream = (tenant: string, searchId: string): Name => `retrieval-${tenant}.${searchId}`;
export const tenantStream = (tenant: string): Name => `tenant-${tenant}.${tenant}`;
export const routingStream = (tenant: string): Name => `policy-${tenant}.routing`;
/** One switch for all tenants. */
export const killSwitchStream: Name = 'policy-system.kill-switch';
/** Read models belong to no tenant: their operation is told in the stream of the whole system. */
export const projectionStream = (projection: string): Name => `projection-system.${projection}`;

const memoryIdPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether `text` could be the id of a memory at all: anything else is as unknown as a wrong one. */
export function isMemoryId(text: string): boolean {
  return memoryIdPattern.test(text);
}
