/** Engines that one runs oneself, by what they say with each request: which settings they had, and when. */
import { formatInstant } from "@centspan/base";
import { engineSpellRowSchema } from "@centspan/model";
import { z } from "zod";
import { rangeShape } from "../queries.ts";
import { defineRoute } from "../route.ts";

export const listEngines = defineRoute({
  id: "listEngines",
  method: "GET",
  path: "/engines",
  summary:
    "Engines that one runs oneself: the times in which they kept their settings, newest first, with their requests",
  needs: "figures.read",
  query: z.strictObject(rangeShape),
  body: z.undefined(),
  answer: z.object({ data: z.array(engineSpellRowSchema), nextCursor: z.null() }),
  async run({ deps, caller, query: { from, to } }) {
    const range = { fromNs: from ?? 0n, toNs: to ?? deps.clock.nowNs() };
    const spells = await deps.warehouse.listEngineSpells(caller.workspace, range);
    const data = spells.map(({ service, basis, fromNs, toNs, requests, replicas, ...settings }) => ({
      ...{ service, basis, requests, replicas, settings },
      ...{ from: formatInstant(fromNs), to: formatInstant(toNs) },
    }));
    return { data, nextCursor: null };
  },
});
