import { CentspanError } from "@centspan/base";
import { readParams } from "#features/page/params.ts";
import { openTraceApi } from "#server/trace-api";

export const dynamic = "force-dynamic";

type Props = { params: Promise<{ table: string }> };

/** Rows of a table as they come. */
export async function GET(request: Request, { params }: Props): Promise<Response> {
  const { table } = await params;
  const { workspace } = readParams(Object.fromEntries(new URL(request.url).searchParams));
  try {
    return await (await openTraceApi(workspace)).exportWorkspace(table);
  } catch (thrown) {
    if (!(thrown instanceof CentspanError)) throw thrown;
    return new Response(`${thrown.message}\n`, { status: thrown.status });
  }
}
