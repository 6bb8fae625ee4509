import { ServerCredentials, ServerInterceptingCall, status, type ServerInterceptor } from '@grpc/grpc-js';

export interface SecureOptions {
  /** PEM. */
  readonly key: Buffer;
  /** PEM. */
  readonly certificate: Buffer;
  readonly user: string;
  readonly password: string;
}

export function credentialsOf(secure: SecureOptions | undefined): ServerCredentials {
  if (!secure) return ServerCredentials.createInsecure();
  return ServerCredentials.createSsl(null, [{ private_key: secure.key, cert_chain: secure.certificate }]);
}

/** Refuses every call without these credentials. */
export function onlyWith({ user, password }: SecureOptions): ServerInterceptor {
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  return (_, call) =>
    new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata(metadata, proceed) {
            if (metadata.get('authorization')[0] === authorization) proceed(metadata);
            else call.sendStatus({ code: status.UNAUTHENTICATED, details: 'Unauthenticated' });
          },
        }),
    });
}
