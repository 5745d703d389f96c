/**
 * Whose data a request brings, and whether its word on calls counts: its credential says so, and never a payload.
 * Without a credential only a request from this very machine is taken, and only where a default workspace is set.
 */
import { CentspanError } from "@centspan/base";
import { KEY_KINDS, may, type Principal } from "@centspan/model";
import { type CredentialCache, readSecret } from "@centspan/service";

const TAKEN_KINDS = KEY_KINDS.filter((kind) => may({ kind, scopes: null }, "telemetry.send"));

/** Where data comes from. Any program of this machine may send without a credential: it is not trusted. */
export type Origin = { workspace: string; isTrusted: boolean };

export type FindOriginOptions = {
  credentials: CredentialCache<Principal>;
  /** Where requests without a credential go, when they come from this machine. */
  defaultWorkspace?: string | undefined;
};
/** `headers` are those of HTTP, or gRPC's metadata. */
export type Sender = { headers: Record<string, string | string[] | undefined>; remoteAddress: string | undefined };

export async function findOrigin(sender: Sender, options: FindOriginOptions): Promise<Origin> {
  const secret = readSecret(sender.headers);
  if (secret === null) {
    const { defaultWorkspace } = options;
    if (defaultWorkspace !== undefined && isLocal(sender)) return { workspace: defaultWorkspace, isTrusted: false };
    throw new CentspanError("unauthenticated", "authorization: an ingest key is needed", { field: "authorization" });
  }
  const principal = await options.credentials.find(secret);
  if (!principal) {
    throw new CentspanError("unauthenticated", "authorization: no such key", { field: "authorization" });
  }
  if (!may(principal, "telemetry.send")) {
    throw new CentspanError("forbidden", `authorization: a key of kind ${TAKEN_KINDS.join(" or ")} is needed`, {
      field: "authorization",
    });
  }
  return { workspace: principal.workspace, isTrusted: may(principal, "telemetry.vouch") };
}

const LOOPBACK_ADDRESS = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/;
const LOOPBACK_ORIGIN = /^https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/;

/** From this machine: neither passed on by a proxy that runs here nor sent by a page of another site. */
export function isLocal({ headers, remoteAddress }: Sender): boolean {
  if (!LOOPBACK_ADDRESS.test(remoteAddress ?? "")) return false;
  if (headers.forwarded !== undefined || headers["x-forwarded-for"] !== undefined) return false;
  return headers.origin === undefined || LOOPBACK_ORIGIN.test(String(headers.origin));
}
