/** Where the OpenID provider sends people back to. */
import { openOnce } from "#server/stores";

export const dynamic = "force-dynamic";

export async function GET(request: Request): Promise<Response> {
  const { signIn, mode } = openOnce();
  if (signIn === null || mode.kind !== "accounts" || mode.oidc === null) return new Response(null, { status: 404 });
  // This process may be asked under another name than the one that the provider was told.
  const { pathname, search } = new URL(request.url);
  return signIn.finish(new Request(new URL(`${pathname}${search}`, mode.url), { headers: request.headers }));
}
