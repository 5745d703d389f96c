/** What is set for a workspace besides money: its teams, how long it keeps what it received, and secrets of its webhooks. */
import { CentspanError } from "@centspan/base";
import {
  nameActor,
  type RetentionRow,
  retentionRowSchema,
  SIGNALS,
  teamRowSchema,
  webhookRowSchema,
} from "@centspan/model";
import { outcomeFeeds } from "@centspan/outcomes";
import { z } from "zod";
import { type ApiDeps, defineRoute } from "../route.ts";

const none = z.strictObject({});

export const listTeams = defineRoute({
  id: "listTeams",
  method: "GET",
  path: "/teams",
  summary: "Teams of the workspace, with their departments",
  needs: "figures.read",
  query: none,
  body: z.undefined(),
  answer: z.object({ data: z.array(teamRowSchema), nextCursor: z.null() }),
  run: async ({ deps, caller }) => ({ data: await deps.control.listTeams(caller.workspace), nextCursor: null }),
});

export const saveTeam = defineRoute({
  id: "saveTeam",
  method: "PUT",
  path: "/teams/{id}",
  summary: "Makes a team, or changes its name and department; spend follows the id",
  needs: "settings.write",
  query: none,
  body: teamRowSchema.omit({ id: true }),
  answer: teamRowSchema,
  async run({ deps, caller, params: { id = "" }, body }) {
    const team = teamRowSchema.safeParse({ id, ...body });
    if (!team.success)
      throw new CentspanError("invalid_request", `id: ${team.error.issues[0]?.message}`, { field: "id" });
    await deps.control.saveTeam(caller.workspace, team.data, nameActor(caller.principal));
    return team.data;
  },
});

export const listRetention = defineRoute({
  id: "listRetention",
  method: "GET",
  path: "/retention",
  summary: "How long spans, logs and metrics are kept; calls, charge lines and outcomes are kept for ever",
  needs: "figures.read",
  query: none,
  body: z.undefined(),
  answer: z.object({ data: z.array(retentionRowSchema), nextCursor: z.null() }),
  run: async ({ deps, caller }) => ({ data: await readRetention(deps, caller.workspace), nextCursor: null }),
});

export const setRetention = defineRoute({
  id: "setRetention",
  method: "PUT",
  path: "/retention/{signal}",
  summary: "Deletes what of a signal is older than some days, within an hour and from then on; null keeps it for ever",
  needs: "settings.write",
  query: none,
  body: retentionRowSchema.pick({ days: true }).strict(),
  answer: retentionRowSchema,
  async run({ deps, caller, params: { signal: named = "" }, body: { days } }) {
    const signal = SIGNALS.find((one) => one === named);
    if (signal === undefined)
      throw new CentspanError("not_found", `signal: ${named} is none of ${SIGNALS.join(", ")}`, { field: "signal" });
    await deps.control.setRetention(caller.workspace, signal, days, nameActor(caller.principal));
    return { signal, days };
  },
});

async function readRetention({ control }: ApiDeps, workspace: string): Promise<RetentionRow[]> {
  const own = (await control.listRetention()).filter((policy) => policy.workspace === workspace);
  return SIGNALS.map((signal) => ({ signal, days: own.find((policy) => policy.signal === signal)?.days ?? null }));
}

export const readWebhook = defineRoute({
  id: "readWebhook",
  method: "GET",
  path: "/keys/{keyId}/webhook",
  summary: "What a code host needs to deliver outcomes in the name of an ingest key: addresses, and the secret",
  needs: "keys.write",
  query: none,
  body: z.undefined(),
  answer: webhookRowSchema,
  async run({ deps, caller, params: { keyId = "" } }) {
    const signer = await deps.control.findSigner(keyId);
    if (signer?.principal.workspace !== caller.workspace || signer.principal.kind !== "ingest")
      throw new CentspanError("not_found", `There is no live ingest key ${keyId} in this workspace.`);
    const feeds = outcomeFeeds.filter(({ isSigned }) => isSigned !== undefined);
    return {
      keyId,
      secret: signer.webhookSecret,
      addresses: feeds.map(({ id }) => ({ source: id, path: `/api/v1/outcomes/${id}?key=${keyId}` })),
    };
  },
});
