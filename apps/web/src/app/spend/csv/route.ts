import { CentspanError } from "@centspan/base";
import { readParams } from "#features/page/params.ts";
import { loadGroups } from "#features/spend/load-explorer.ts";
import { writeSpendCsv } from "#features/spend/write-spend-csv.ts";
import { openTraceApi } from "#server/trace-api";

export const dynamic = "force-dynamic";

/** The table of the spend page with every row and every decimal. */
export async function GET(request: Request): Promise<Response> {
  const params = readParams(Object.fromEntries(new URL(request.url).searchParams));
  try {
    const groups = await loadGroups({ api: await openTraceApi(params.workspace), params, nowMs: Date.now() });
    const name = `spend-${groups.grouping}-${groups.range.firstDay}-${groups.range.lastDay}.csv`;
    return new Response(writeSpendCsv(groups), {
      headers: {
        "content-type": "text/csv; charset=utf-8",
        "content-disposition": `attachment; filename="${name}"`,
      },
    });
  } catch (thrown) {
    if (!(thrown instanceof CentspanError)) throw thrown;
    return new Response(`${thrown.message}\n`, { status: thrown.status });
  }
}
