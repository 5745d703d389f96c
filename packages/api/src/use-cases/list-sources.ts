import { SIGNALS, type Source, sourceRowSchema } from "@centspan/model";
import { z } from "zod";
import { defineRoute } from "../route.ts";
import { toSourceRow } from "../signal-rows.ts";

export const listSources = defineRoute({
  id: "listSources",
  method: "GET",
  path: "/sources",
  summary: "Who sent what in the last thirty days: by service and signal, when last and how much in 24 hours",
  needs: "figures.read",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: z.object({ data: z.array(sourceRowSchema), nextCursor: z.null() }),
  async run({ deps, caller }) {
    const sources = await deps.warehouse.listSources(caller.workspace);
    return { data: sources.toSorted(byServiceAndSignal).map(toSourceRow), nextCursor: null };
  },
});

function byServiceAndSignal(a: Source, b: Source): number {
  if (a.service !== b.service) return a.service < b.service ? -1 : 1;
  return SIGNALS.indexOf(a.signal) - SIGNALS.indexOf(b.signal);
}
