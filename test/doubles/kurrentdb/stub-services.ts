import gossip from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_grpc_pb.js';

export const gossipService = gossip.GossipService;
export const featuresService = features.ServerFeaturesService;
export const streamsService = streams.StreamsService;
