/**
 * A month as FOCUS data, written while it is read. A closed month's billed costs add up to its statement: what rounding
 * left over is rows of its own. An open one is exact, and has no invoice yet. What commitments cover is billed with them.
 */
import { ZERO } from "@centspan/base";
import {
  describeCharge,
  describeCovered,
  describePurchase,
  describeRounding,
  describeUnused,
  FOCUS_VERSIONS,
  type FocusContext,
  type FocusEntry,
  writeCsv,
  writeParquet,
} from "@centspan/focus";
import { type Commitment, periodSchema } from "@centspan/model";
import type { Spread } from "@centspan/pricing";
import { z } from "zod";
import { defineRoute } from "../route.ts";
import { findPeriod } from "./periods.ts";
import { readCommitmentBooks, spreadPeriod, sumPaid } from "./spread-period.ts";

const FORMATS = {
  csv: { write: writeCsv, type: "text/csv; charset=utf-8" },
  parquet: { write: writeParquet, type: "application/vnd.apache.parquet" },
} as const;

export const exportFocus = defineRoute({
  id: "exportFocus",
  method: "GET",
  path: "/export/focus",
  summary: "A month's charges as FOCUS data, by day, credential, model and meter",
  needs: "figures.read",
  query: z.strictObject({
    version: z.enum(FOCUS_VERSIONS),
    period: periodSchema,
    format: z.enum(["csv", "parquet"]).default("csv"),
  }),
  body: z.undefined(),
  answer: z.instanceof(Response),
  answerTypes: Object.values(FORMATS).map(({ type }) => type),
  async run({ deps, caller, query: { version, period: name, format } }) {
    const { workspace, principal } = caller;
    const { period, statement } = await findPeriod({ deps, caller }, name);
    const known = (await deps.control.listWorkspaces(principal.org)).find(({ id }) => id === workspace);
    const isClosed = "closedAt" in period;
    const context: FocusContext = {
      org: principal.org,
      workspace: { id: workspace, name: known?.name ?? workspace },
      period,
      invoiceId: isClosed ? `${workspace}-${name}` : null,
    };
    const { write, type } = FORMATS[format];
    const books = await readCommitmentBooks({ deps, caller });
    const spread = await spreadPeriod({ deps, caller }, period, books);
    async function* listEntries(): AsyncGenerator<FocusEntry[]> {
      for await (const charges of deps.warehouse.listCharges(workspace, period, period.timeZone)) {
        const others = charges.filter((charge) => !spread.isSpread(charge));
        yield others.map((charge) => describeCharge(charge, context));
      }
      yield describeSpread(spread, books.commitments, context);
      if (isClosed) yield statement.lines.flatMap((line) => describeRounding(line, context) ?? []);
    }
    const body = write(version, listEntries());
    const file = `focus-${version}-${workspace}-${name}.${format}`;
    return new Response(toStream(body), {
      headers: {
        "content-type": type,
        "content-disposition": `attachment; filename="${encodeURIComponent(file)}"`,
        "cache-control": "no-store",
      },
    });
  },
});

function describeSpread(
  { covered, rest, lines }: Spread,
  commitments: readonly Commitment[],
  context: FocusContext,
): FocusEntry[] {
  return [
    ...rest.map((charge) => describeCharge(charge, context)),
    ...covered.map((one) => describeCovered(one, context)),
    ...commitments.flatMap((commitment) => {
      const paidUsd = sumPaid(lines, commitment);
      const unused = lines.filter((line) => line.commitment === commitment.id && line.status === "unused");
      return [
        ...(paidUsd.eq(ZERO) ? [] : [describePurchase(commitment, paidUsd, context)]),
        ...unused.map((line) => describeUnused(line, commitment, context)),
      ];
    }),
  ];
}

/** Read no faster than it is taken; whoever goes away in between ends the reading. */
function toStream(body: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await body.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await body.return(undefined);
    },
  });
}
