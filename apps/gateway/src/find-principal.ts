/**
 * Whose key a secret is. All spans of a gateway are recorded where its own ingest key belongs, so a key of another workspace would
 * spend what shows in this one's books: it is refused.
 */
import { CentspanError } from "@centspan/base";
import type { KeyStore, Principal } from "@centspan/model";
import { createCredentialCache } from "@centspan/service";

/** What the operator should hear of the key that spans are sent with; null where it is as it should be. */
export async function findIngestKeyFault(
  store: Pick<KeyStore, "findPrincipal">,
  ingestKey: string,
): Promise<string | null> {
  const principal = ingestKey === "" ? null : await store.findPrincipal(ingestKey);
  if (principal?.kind === "gateway-ingest") return null;
  const found = ingestKey === "" ? "not set" : principal ? `a key of kind ${principal.kind}` : "no key that is known";
  return `CENTSPAN_INGEST_KEY is ${found}: what this gateway measures is taken for a client's word, and names no key; \`centspan keys create NAME --kind gateway-ingest\` makes the right one`;
}

/** `ingestKey` is "" where the collector takes spans without one, for its one workspace. */
export function findPrincipalAtHome(store: Pick<KeyStore, "findPrincipal">, ingestKey: string) {
  const homes = createCredentialCache({ find: (secret) => store.findPrincipal(secret) });
  return async (secret: string): Promise<Principal | null> => {
    const principal = await store.findPrincipal(secret);
    if (principal === null || ingestKey === "") return principal;
    const home = await homes.find(ingestKey);
    if (home === null || home.workspace === principal.workspace) return principal;
    const message = `authorization: this gateway records for workspace ${home.workspace}, and the key is of another`;
    throw new CentspanError("forbidden", message, { field: "authorization" });
  };
}
