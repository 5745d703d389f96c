/**
 * The keys of a local stack. A secret is seen only when its key is made, so it is kept in connection.json;
 * when that file is gone or stale, the key is revoked and made anew under the same name.
 */
import type { Control } from "@centspan/control";
import type { KeyKind, KeyRules } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { ACTOR, DEFAULT_WORKSPACE, ORG } from "../stores.ts";

const DEMO_TEAMS = [
  { id: "payments", name: "Payments", department: "Engineering" },
  { id: "search", name: "Search", department: "Engineering" },
  { id: "platform", name: "Platform", department: "Engineering" },
] as const;

export type LocalKeys = Pick<
  Connection,
  "apiKey" | "optimizerKey" | "ingestKey" | "gatewayIngestKey" | "gatewayKey" | "teamKeys"
>;

export async function ensureKeys(control: Control, previous: LocalKeys | null): Promise<LocalKeys> {
  await control.ensureWorkspace(ORG, { id: DEFAULT_WORKSPACE, name: "Default" });
  const ensure = async (
    name: string,
    kind: KeyKind,
    team: string | null,
    known: string | undefined,
    { orgWide = false, rules = {} }: { orgWide?: boolean; rules?: KeyRules } = {},
  ) => {
    if (known !== undefined && (await control.findPrincipal(known)) !== null) return known;
    const stale = (await control.listKeys(DEFAULT_WORKSPACE)).find(
      (key) => key.name === name && key.revokedAt === null,
    );
    if (stale !== undefined) await control.revokeKey(DEFAULT_WORKSPACE, stale.keyId, ACTOR);
    return (await control.createKey({ workspace: DEFAULT_WORKSPACE, name, kind, team, orgWide, rules }, ACTOR)).secret;
  };
  const teamKeys: Record<string, string> = {};
  for (const team of DEMO_TEAMS) {
    await control.ensureTeam(DEFAULT_WORKSPACE, team);
    teamKeys[team.id] = await ensure(`${team.id}-agent`, "gateway", team.id, previous?.teamKeys[team.id]);
  }
  return {
    apiKey: await ensure("local-api", "api", null, previous?.apiKey, { orgWide: true }),
    optimizerKey: await ensure("local-optimizer", "api", null, previous?.optimizerKey, {
      rules: { mcp: { write: true } },
    }),
    ingestKey: await ensure("local-ingest", "ingest", null, previous?.ingestKey),
    gatewayIngestKey: await ensure("local-gateway-ingest", "gateway-ingest", null, previous?.gatewayIngestKey),
    gatewayKey: await ensure("local-gateway", "gateway", null, previous?.gatewayKey),
    teamKeys,
  };
}
