/** What the palette shows while somebody types. */
import { CentspanError } from "@centspan/base";
import { find } from "#features/search/find.ts";
import { openTraceApi } from "#server/trace-api";

export const dynamic = "force-dynamic";

export async function GET(request: Request): Promise<Response> {
  const { searchParams } = new URL(request.url);
  try {
    const api = await openTraceApi(searchParams.get("workspace") ?? undefined);
    return Response.json({ data: await find(api, searchParams.get("q") ?? "") });
  } catch (thrown) {
    if (!(thrown instanceof CentspanError)) throw thrown;
    return Response.json({ data: [] }, { status: thrown.status });
  }
}
