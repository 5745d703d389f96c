/**
 * The lead's tool `delegate`: units of work done by sub-agents side by side, a few at a time. It resumes by itself: each
 * thread has its own log, and a unit that was merged is merged the same way again.
 */
import { createHash } from "node:crypto";
import { CentspanError } from "@centspan/base";
import { z } from "zod";
import { defineTool, type Tool } from "../tools/tool.ts";
import type { Crew } from "./crew.ts";
import { runUnit } from "./run-unit.ts";
import { MAX_UNITS, type Unit, type UnitResult, unitSchema } from "./unit.ts";

const SIDE_BY_SIDE = 3;

export const createDelegate = (crew: Crew): Tool =>
  defineTool({
    name: "delegate",
    description: `Has up to ${MAX_UNITS} units of work done side by side, each by a sub-agent with a copy of the package and a context of its own, and verified by another. Verified changes are brought into the package; the answer says how each unit ended. Give units that don't change the same files.`,
    arguments: z.strictObject({ units: z.array(unitSchema).min(1).max(MAX_UNITS) }),
    readOnly: false,
    resumes: true,
    // What sub-agents do is approved call by call.
    subject: () => null,
    async run({ units }, { callId, output }) {
      const ids = units.map(({ id }) => id);
      const double = ids.find((id, index) => ids.indexOf(id) !== index);
      if (double !== undefined) {
        throw new CentspanError("invalid_request", `units: there are two named ${JSON.stringify(double)}`, {
          field: "units",
        });
      }
      const results = await runSideBySide(units, (unit) => runUnit(unit, nameUnit(unit, callId), crew));
      return { output: output.write(JSON.stringify(results, null, 1)) };
    },
  });

/** The same unit of a later call is another one. */
const nameUnit = ({ id }: Unit, callId: string): string =>
  `${id}-${createHash("sha256").update(callId).digest("hex").slice(0, 6)}`;

/** In the order of the units. The first failure that is none of the unit's own ends it, once those under way have ended. */
async function runSideBySide(units: readonly Unit[], run: (unit: Unit) => Promise<UnitResult>): Promise<UnitResult[]> {
  const waiting = [...units.entries()];
  const results: UnitResult[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, unit] = next;
      results[index] = await run(unit);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(SIDE_BY_SIDE, units.length) }, work));
  const failure = ended.find(({ status }) => status === "rejected");
  if (failure?.status === "rejected") throw failure.reason;
  return results;
}
