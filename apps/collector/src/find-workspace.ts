/**
 * Whose data a request brings: the workspace of its credential, and never one that a payload names.
 * Without a credential only a request from this very machine is taken, and only where a default workspace is set.
 */
import { CentspanError } from "@centspan/base";
import type { KeyKind, Principal } from "@centspan/model";
import { type CredentialCache, readSecret } from "@centspan/service";

const TAKEN_KINDS: readonly KeyKind[] = ["ingest", "api"];

export type FindWorkspaceOptions = {
  credentials: CredentialCache<Principal>;
  /** Where requests without a credential go, when they come from this machine. */
  defaultWorkspace?: string | undefined;
};
/** `headers` are those of HTTP, or gRPC's metadata. */
export type Sender = { headers: Record<string, string | string[] | undefined>; remoteAddress: string | undefined };

export async function findWorkspace(sender: Sender, options: FindWorkspaceOptions): Promise<string> {
  const secret = readSecret(sender.headers);
  if (secret === null) {
    if (options.defaultWorkspace !== undefined && isLocal(sender)) return options.defaultWorkspace;
    throw new CentspanError("unauthenticated", "authorization: an ingest key is needed", { field: "authorization" });
  }
  const principal = await options.credentials.find(secret);
  if (!principal) {
    throw new CentspanError("unauthenticated", "authorization: no such key", { field: "authorization" });
  }
  if (!TAKEN_KINDS.includes(principal.kind)) {
    throw new CentspanError("forbidden", `authorization: a key of kind ${TAKEN_KINDS.join(" or ")} is needed`, {
      field: "authorization",
    });
  }
  return principal.workspace;
}

const LOOPBACK_ADDRESS = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/;
const LOOPBACK_ORIGIN = /^https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/;

/** From this machine: neither passed on by a proxy that runs here nor sent by a page of another site. */
export function isLocal({ headers, remoteAddress }: Sender): boolean {
  if (!LOOPBACK_ADDRESS.test(remoteAddress ?? "")) return false;
  if (headers.forwarded !== undefined || headers["x-forwarded-for"] !== undefined) return false;
  return headers.origin === undefined || LOOPBACK_ORIGIN.test(String(headers.origin));
}
