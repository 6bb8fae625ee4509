import type { ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';
import type { IGossipServer } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import type { IServerFeaturesServer } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import { uuidMessage } from './messages.ts';
import { featuresService, gossipService, streamsService } from './stub-services.ts';
import { features, gossip } from './stubs.ts';

/** The server version that the double imitates. */
const serverVersion = '24.2.0';

/** The services that a client calls first: the features of the server, and the leader of its cluster of one node. */
export function memberServices(port: () => number): [ServiceDefinition, UntypedServiceImplementation][] {
  const instance = crypto.randomUUID();
  const supported: IServerFeaturesServer = {
    getSupportedMethods(_, reply) {
      const methods = new features.SupportedMethods().setEventStoreServerVersion(serverVersion);
      for (const { path } of Object.values(streamsService)) {
        const [, service, method] = path.split('/');
        methods.addMethods(
          new features.SupportedMethod().setServiceName(service!).setMethodName(method!.toLowerCase()),
        );
      }
      reply(null, methods);
    },
  };
  const members: IGossipServer = {
    read(_, reply) {
      const member = new gossip.MemberInfo()
        .setInstanceId(uuidMessage(instance))
        .setTimeStamp(String(Date.now()))
        .setState(gossip.MemberInfo.VNodeState.LEADER)
        .setIsAlive(true)
        .setHttpEndPoint(new gossip.EndPoint().setAddress('127.0.0.1').setPort(port()));
      reply(null, new gossip.ClusterInfo().setMembersList([member]));
    },
  };
  return [
    [featuresService, supported],
    [gossipService, members],
  ];
}
