/**
 * What every page request passes first. A request for a host that is not ours is refused. `?lang=ko` in an address sets
 * the language: for this answer through a header, for later ones through the cookie.
 */
import { type NextRequest, NextResponse } from "next/server";
import { isLanguage, LANGUAGE_HEADER } from "#i18n";
import { isKnownHost, readHosts } from "#server/known-host";

/** 421 Misdirected Request (RFC 9110, 15.5.20). */
const refuseHost = (): NextResponse =>
  new NextResponse("This name is not one of this server's: list it in CENTSPAN_WEB_HOSTS.\n", { status: 421 });

export function proxy(request: NextRequest): NextResponse {
  if (!isKnownHost(request.headers.get("host"), readHosts(process.env.CENTSPAN_WEB_HOSTS))) return refuseHost();
  const language = request.nextUrl.searchParams.get("lang");
  if (!isLanguage(language)) return NextResponse.next();
  const headers = new Headers(request.headers);
  headers.set(LANGUAGE_HEADER, language);
  const response = NextResponse.next({ request: { headers } });
  response.cookies.set("lang", language, { path: "/", maxAge: 31_536_000, sameSite: "lax" });
  return response;
}

/** All but the Trace API, where a key decides, and files that say nothing. */
export const config = { matcher: ["/((?!api/|_next/static/|icon).*)"] };
