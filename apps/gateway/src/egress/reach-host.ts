/**
 * A connection to a host, to the addresses that were checked: a name is looked up once, so that it can't answer otherwise
 * the second time. A name that leads to an address which is not public is not connected to, whatever else it leads to.
 */
import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { createConnection, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { CentspanError } from "@centspan/base";
import { type EgressTarget, isExplicitHost } from "@centspan/model";
import { isPublicAddress } from "./public-address.ts";

export type ReachOptions = {
  /** Addresses of a name; the system's unless told otherwise. */
  resolve?: (host: string) => Promise<LookupAddress[]>;
  /** Until the connection stands, TLS included. */
  handshakeMs: number;
  /** Certificates that are trusted in place of the usual ones. */
  trustedCertificates?: string;
};

export async function reachHost(target: EgressTarget, isTls: boolean, options: ReachOptions): Promise<Socket> {
  const late = AbortSignal.timeout(options.handshakeMs);
  const addresses = await Promise.race([resolveHost(target, options), failWhen(late)]).catch(rethrow);
  const host = { ...target, lookup: answerLookup(addresses), autoSelectFamily: true };
  const socket = isTls
    ? connectTls({
        ...host,
        servername: isIP(target.host) === 0 ? target.host : "",
        ...(options.trustedCertificates !== undefined && { ca: options.trustedCertificates }),
      })
    : createConnection({ ...host, allowHalfOpen: true });
  // Who uses it learns of its end anyway; unheard, an error would end the process.
  socket.on("error", () => undefined);
  try {
    await once(socket, isTls ? "secureConnect" : "connect", { signal: late });
    return socket;
  } catch (thrown) {
    socket.destroy();
    throw translate(thrown);
  }
}

async function resolveHost({ host }: EgressTarget, options: ReachOptions): Promise<LookupAddress[]> {
  const family = isIP(host);
  // Allowed as an address, it was meant.
  if (family !== 0) return [{ address: host, family }];
  const addresses = await (options.resolve ?? lookUp)(host);
  if (!isExplicitHost(host) && !addresses.every(({ address }) => isPublicAddress(address))) {
    const message = `${host}: leads to an address that is not public, which a rule has to name as such`;
    throw new CentspanError("egress_refused", message, { field: "host" });
  }
  return addresses;
}

const lookUp = (host: string): Promise<LookupAddress[]> => lookup(host, { all: true, verbatim: true });

type Answer = (error: null, addresses: LookupAddress[]) => void;
const answerLookup =
  (addresses: LookupAddress[]) =>
  (_host: string, _options: object, answer: Answer): void =>
    answer(null, addresses);

async function failWhen(signal: AbortSignal): Promise<never> {
  await once(signal, "abort");
  throw signal.reason;
}

const rethrow = (thrown: unknown): never => {
  throw translate(thrown);
};

/** Says what went wrong by its code alone; messages of the system name addresses, which are nobody's business. */
function translate(cause: unknown): CentspanError {
  if (cause instanceof CentspanError) return cause;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const isLate = cause instanceof Error && (cause.name === "AbortError" || cause.name === "TimeoutError");
  const why = isLate ? "no connection in time" : code;
  return new CentspanError("host_unreachable", `host: can't be reached${why && ` (${why})`}`, { field: "host", cause });
}
