/** How official exporters are set up against the shared stack. */
import { Metadata } from "@grpc/grpc-js";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { NodeTracerProvider, type SpanProcessor } from "@opentelemetry/sdk-trace-node";
import { inject } from "vitest";

export const unique = (name: string): string => `${name}-${Math.trunc(Math.random() * 1e9)}`;

export const toHttp = (signal: string) => ({
  url: `${inject("connection").otlpUrl}/v1/${signal}`,
  headers: { authorization: `Bearer ${inject("connection").ingestKey}` },
});

export const toGrpc = () => {
  const metadata = new Metadata();
  metadata.set("authorization", `Bearer ${inject("connection").ingestKey}`);
  return { url: inject("connection").otlpGrpcUrl, metadata };
};

export function createTracing(service: string, processor: SpanProcessor): NodeTracerProvider {
  const resource = resourceFromAttributes({ "service.name": service });
  return new NodeTracerProvider({ resource, spanProcessors: [processor] });
}
