import { CentspanError, toProblem } from "@centspan/base";
import { SKELETON_TYPE } from "@centspan/model";
import { readLanguage } from "#features/page/open-page.tsx";
import { readParams } from "#features/page/params.ts";
import { isPart, PARTS } from "#features/run/load-parts.ts";
import { getCatalogue } from "#i18n";
import { openTraceApi } from "#server/trace-api";

export const dynamic = "force-dynamic";

type Context = { params: Promise<{ traceId: string; part: string }> };

/** What a run's page asks for beside itself: the skeleton of its spans, and more about some of them. */
export async function GET(request: Request, { params: path }: Context): Promise<Response> {
  const { traceId, part } = await path;
  const params = readParams(Object.fromEntries(new URL(request.url).searchParams));
  const headers = { "cache-control": "no-store" };
  try {
    const api = await openTraceApi(params.workspace);
    if (part === "skeleton") {
      const pieces: Uint8Array[] = [];
      for await (const piece of api.skeleton(traceId)) pieces.push(piece);
      return new Response(Buffer.concat(pieces), { headers: { ...headers, "content-type": SKELETON_TYPE } });
    }
    if (!isPart(part)) return new Response(null, { status: 404 });
    const language = await readLanguage();
    return Response.json(await PARTS[part]({ api, params, t: getCatalogue(language), language }, traceId), { headers });
  } catch (thrown) {
    if (!(thrown instanceof CentspanError)) throw thrown;
    return Response.json(toProblem(thrown), { status: thrown.status, headers });
  }
}
