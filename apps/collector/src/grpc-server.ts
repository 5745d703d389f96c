/**
 * OTLP over gRPC: the three Export services, messages as bytes. After "bytes and headers" everything is as with HTTP.
 * Must not: hold a message of somebody who may not send: the credential is checked before it is read. Nor more than so
 * many at once: the library collects a message whole before it can be counted.
 */
import { isIPv6 } from "node:net";
import { asCentspanError, CentspanError } from "@centspan/base";
import { writeRetryStatus } from "@centspan/ingest";
import { SIGNALS, type Signal } from "@centspan/model";
import { reportFault } from "@centspan/service";
import {
  type handleUnaryCall,
  Metadata,
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
  type ServiceDefinition,
} from "@grpc/grpc-js";
import { findOrigin, type Origin, type Sender } from "./find-origin.ts";
import type { Intake } from "./intake.ts";
import { createPlaces, type EnterPlace } from "./places.ts";
import { counted, toRpcCode } from "./take-export.ts";

const SERVICES: Record<Signal, string> = {
  traces: "opentelemetry.proto.collector.trace.v1.TraceService",
  logs: "opentelemetry.proto.collector.logs.v1.LogsService",
  metrics: "opentelemetry.proto.collector.metrics.v1.MetricsService",
};

export type GrpcServer = {
  /** Resolves with the address, such as http://127.0.0.1:4317. */
  listen(at: { host: string; port: number }): Promise<string>;
  /** Calls that are being answered are answered first. */
  close(): Promise<void>;
};

const MAX_STREAMS = 100;
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Messages that are on their way in, of all connections together. */
const MAX_ARRIVING = 64;
const ARRIVAL_PATIENCE_MS = 60_000;
const CLOSE_PATIENCE_MS = 5_000;
/** A sender that is gone without a word is found out, and what came of its message is let go. */
const KEEPALIVE_MS = 60_000;
const KEEPALIVE_ANSWER_MS = 20_000;

export function createGrpcServer(intake: Intake): GrpcServer {
  const origins = new WeakMap<Metadata, Origin>();
  const server = new Server({
    "grpc.max_receive_message_length": Math.min(intake.maxBodyBytes, MAX_MESSAGE_BYTES),
    "grpc.max_concurrent_streams": MAX_STREAMS,
    "grpc.keepalive_time_ms": KEEPALIVE_MS,
    "grpc.keepalive_timeout_ms": KEEPALIVE_ANSWER_MS,
    interceptors: [createAuthentication(intake, origins), createEntrance(createPlaces(MAX_ARRIVING))],
  });
  for (const signal of SIGNALS) {
    server.addService(defineService(SERVICES[signal]), { Export: createExport(intake, signal, origins) });
  }
  return {
    listen: ({ host, port }) =>
      new Promise((resolve, reject) => {
        const name = isIPv6(host) ? `[${host}]` : host;
        server.bindAsync(`${name}:${port}`, ServerCredentials.createInsecure(), (error, boundPort) => {
          if (error === null) resolve(`http://${name}:${boundPort}`);
          else reject(createPortTaken(port, host, error));
        });
      }),
    close: () =>
      new Promise((resolve) => {
        const force = setTimeout(() => server.forceShutdown(), CLOSE_PATIENCE_MS);
        server.tryShutdown(() => {
          clearTimeout(force);
          resolve();
        });
      }),
  };
}

const pass = (bytes: Buffer): Buffer => bytes;

const defineService = (name: string): ServiceDefinition => ({
  Export: {
    path: `/${name}/Export`,
    requestStream: false,
    responseStream: false,
    requestSerialize: pass,
    requestDeserialize: pass,
    responseSerialize: pass,
    responseDeserialize: pass,
  },
});

/** Whoever may not send, or can't be served now, hears it before the message is read. */
function createAuthentication(intake: Intake, origins: WeakMap<Metadata, Origin>): ServerInterceptor {
  return ({ path }, call) => {
    const signal = SIGNALS.find((candidate) => path.startsWith(`/${SERVICES[candidate]}/`));
    const authenticate = async (metadata: Metadata): Promise<void> => {
      const { remoteAddress } = call.getConnectionInfo();
      origins.set(metadata, await findOrigin(readSender(metadata, remoteAddress), intake.credentials));
      intake.requireRoom();
    };
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata(metadata, pass) {
            authenticate(metadata).then(
              () => pass(metadata),
              (thrown) => {
                if (signal) intake.stats.countRequest(signal, asCentspanError(thrown).code);
                call.sendStatus(createStatus(thrown));
              },
            );
          },
        }),
    });
  };
}

/** Reads a message once there is a place for it; one that does not come to its end loses its place. */
function createEntrance(enterPlace: EnterPlace): ServerInterceptor {
  return (_method, call) => {
    let patience: NodeJS.Timeout | undefined;
    let leave = (): void => undefined;
    const come = (): void => {
      clearTimeout(patience);
      leave();
    };
    const giveUp = (): void => {
      const late = new CentspanError("store_unavailable", "the message did not come to its end", { retryAfterS: 1 });
      call.sendStatus(createStatus(late));
    };
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata(metadata, pass) {
            leave = enterPlace(() => {
              patience = setTimeout(giveUp, ARRIVAL_PATIENCE_MS);
              pass(metadata);
            });
          },
          onReceiveHalfClose(pass) {
            come();
            pass();
          },
          // Called at the end of every call, however it ends.
          onCancel: come,
        }),
    });
  };
}

function createExport(
  intake: Intake,
  signal: Signal,
  origins: WeakMap<Metadata, Origin>,
): handleUnaryCall<Buffer, Buffer> {
  return (call, answer) => {
    const take = async (): Promise<Buffer> => {
      const share = intake.budget.open();
      try {
        share.add(call.request.length);
        const origin = origins.get(call.metadata);
        if (origin === undefined) throw new CentspanError("unauthenticated", "authorization: was not checked");
        return await intake.takeExport({ signal, encoding: "protobuf", origin, body: [call.request] });
      } finally {
        share.close();
      }
    };
    counted(intake.stats, signal, take).then(
      (response) => answer(null, response),
      (thrown) => answer(createStatus(thrown)),
    );
  };
}

function readSender(metadata: Metadata, remoteAddress: string | undefined): Sender {
  const headers: Sender["headers"] = {};
  for (const [name, value] of Object.entries(metadata.getMap())) if (typeof value === "string") headers[name] = value;
  return { headers, remoteAddress };
}

type CallStatus = { code: number; details: string; metadata: Metadata };

/** What may be tried again says when: exporters take UNAVAILABLE without it as they like. */
function createStatus(thrown: unknown): CallStatus {
  const error = asCentspanError(thrown);
  reportFault(error);
  const code = toRpcCode(error);
  const metadata = new Metadata();
  if (error.retryAfterS !== undefined) {
    const details = writeRetryStatus({ code, message: error.message }, error.retryAfterS);
    metadata.set("grpc-status-details-bin", details);
  }
  return { code, details: error.message, metadata };
}

const createPortTaken = (port: number, host: string, cause: Error): CentspanError =>
  new CentspanError(
    "port_taken",
    `port ${port} on ${host} is taken: free it, or choose another by CENTSPAN_GRPC_PORT`,
    {
      cause,
    },
  );
