import http from 'node:http';
import type { AddressInfo } from 'node:net';

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** A span as OTLP over HTTP sends it, in JSON. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly Attribute[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[];
  }[];
}

export interface OtlpReceiver {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  /** Everything that was received, as text. */
  readonly texts: string[];
  /** The next exports are answered with this status. */
  status: number;
  close(): Promise<void>;
}

/** Receives traces by OTLP over HTTP (JSON), as a collector does. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const received: ReceivedSpan[] = [];
  const texts: string[] = [];
  const receiver = { status: 200 };
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const text = Buffer.concat(parts).toString();
      if (receiver.status === 200 && request.url === '/v1/traces') {
        texts.push(text);
        const { resourceSpans } = JSON.parse(text) as Export;
        for (const { scopeSpans } of resourceSpans)
          for (const { spans } of scopeSpans) received.push(...spans);
      }
      response.writeHead(receiver.status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: received,
    texts,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

/** The value of an attribute. */
export function attributeOf(span: Pick<ReceivedSpan, 'attributes'>, key: string): unknown {
  const value = span.attributes.find((attribute) => attribute.key === key)?.value;
  return value && Object.values(value)[0];
}
