/** How long models that the workspace runs itself occupy their replicas: what a contract by the GPU-hour needs to know. */
import { CentspanError, formatDecimal } from "@centspan/base";
import { occupancyRowSchema } from "@centspan/model";
import { busySeconds, measureOccupancy } from "@centspan/pricing";
import { z } from "zod";
import { instantParam } from "../queries.ts";
import { defineRoute } from "../route.ts";

export const listOccupancy = defineRoute({
  id: "listOccupancy",
  method: "GET",
  path: "/prices/occupancy",
  summary: "For how long a million tokens occupy the replicas of each engine, by the time that its spans say",
  needs: "figures.read",
  query: z.strictObject({ from: instantParam, to: instantParam }),
  body: z.undefined(),
  answer: z.object({ data: z.array(occupancyRowSchema), nextCursor: z.null() }),
  async run({ deps, caller: { workspace }, query: { from, to } }) {
    if (from >= to) throw new CentspanError("invalid_request", "to: must be after from", { field: "to" });
    const times = await deps.warehouse.sumEngineTime(workspace, { fromNs: from, toNs: to });
    const data = times.map((time) => {
      const { service, basis, replicas, prefillTokens, decodeTokens } = time;
      const secondsPerMillion = measureOccupancy(time);
      return {
        service,
        basis,
        replicas,
        busySeconds: formatDecimal(busySeconds(time)),
        prefillTokens,
        decodeTokens,
        secondsPerMillion,
      };
    });
    return { data, nextCursor: null };
  },
});
