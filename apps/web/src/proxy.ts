/**
 * What every page request passes first. A request for a host that is not ours is refused, and a change from elsewhere. `?lang=ko` in an address sets
 * the language: for this answer through a header, for later ones through the cookie.
 */
import { type NextRequest, NextResponse } from "next/server";
import { isLanguage, LANGUAGE_HEADER } from "#i18n";
import { isKnownHost, isOwnOrigin, readHosts } from "#server/known-host";

/** 421 Misdirected Request (RFC 9110, 15.5.20). */
const refuseHost = (): NextResponse =>
  new NextResponse("This name is not one of this server's: list it in CENTSPAN_WEB_HOSTS.\n", { status: 421 });

const refuseOrigin = (): NextResponse =>
  new NextResponse("What changes something is sent by a page of this server, or with a key to the Trace API.\n", {
    status: 403,
  });

export function proxy(request: NextRequest): NextResponse {
  if (!isKnownHost(request.headers.get("host"), readHosts(process.env.CENTSPAN_WEB_HOSTS))) return refuseHost();
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (!isRead && !isOwnOrigin(request.headers.get("origin"), request.headers.get("host"))) return refuseOrigin();
  const language = request.nextUrl.searchParams.get("lang");
  if (!isLanguage(language)) return NextResponse.next();
  const headers = new Headers(request.headers);
  headers.set(LANGUAGE_HEADER, language);
  const response = NextResponse.next({ request: { headers } });
  response.cookies.set("lang", language, { path: "/", maxAge: 31_536_000, sameSite: "lax" });
  return response;
}

/** All but the Trace API, for programs and for agents, where a key decides, and files that say nothing. */
export const config = { matcher: ["/((?!api/|mcp|_next/static/|icon).*)"] };
