/** Language and theme as cookies, from plain forms; back to where the form stood, on this host only. */
import { cookies } from "next/headers";
import { z } from "zod";
import { readPath } from "#server/path-header";

export const dynamic = "force-dynamic";

const preferences = z.object({
  lang: z.enum(["en", "ko"]).optional(),
  theme: z.enum(["system", "light", "dark"]).optional(),
});

const YEAR_S = 31_536_000;

/** Path and parameters of the page the form was on; the host of the header is never followed. */
function findWayBack(referer: string | null): string {
  if (referer === null || !URL.canParse(referer)) return "/";
  const { pathname, search } = new URL(referer);
  return readPath(`${pathname}${search}`);
}

export async function POST(request: Request): Promise<Response> {
  const form = await request.formData().catch(() => new FormData());
  const parsed = preferences.safeParse(Object.fromEntries(form));
  const jar = await cookies();
  for (const [name, value] of Object.entries(parsed.success ? parsed.data : {})) {
    if (value !== undefined) jar.set(name, value, { path: "/", maxAge: YEAR_S, sameSite: "lax" });
  }
  return new Response(null, { status: 303, headers: { location: findWayBack(request.headers.get("referer")) } });
}
