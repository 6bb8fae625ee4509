/** The protocol's messages from the client package, which is CommonJS without named exports. */
export { default as gossip } from '@eventstore/db-client/generated/gossip_pb.js';
export { default as features } from '@eventstore/db-client/generated/serverfeatures_pb.js';
export { default as shared } from '@eventstore/db-client/generated/shared_pb.js';
export { default as rpcStatus } from '@eventstore/db-client/generated/status_pb.js';
export { default as streams } from '@eventstore/db-client/generated/streams_pb.js';
