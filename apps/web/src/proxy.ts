/**
 * What every page request passes first. A request for a host that is not ours is refused, and a change from elsewhere. `?lang=ko` in an address sets
 * the language: for this answer through a header, for later ones through the cookie.
 */
import { type NextRequest, NextResponse } from "next/server";
import { isLanguage, LANGUAGE_HEADER } from "#i18n";
import { isFromHere, isKnownHost, isOwnOrigin, readHosts } from "#server/known-host";
import { PATH_HEADER } from "#server/path-header";
import { readSignInMode } from "#server/sign-in-mode";

const refuse = (status: number, why: string): NextResponse => new NextResponse(`${why}\n`, { status });

/** 421 is Misdirected Request (RFC 9110, 15.5.20). */
const WRONG_HOST = "This name is not one of this server's: list it in CENTSPAN_WEB_HOSTS.";
const WRONG_ORIGIN = "What changes something is sent by a page of this server, or with a key to the Trace API.";
const NOT_FROM_HERE =
  "These pages are for one person at this machine, without a password, and somebody comes from elsewhere through a proxy: set CENTSPAN_SIGN_IN=on (docs/people.md).";

export function proxy(request: NextRequest): NextResponse {
  const mode = readSignInMode(process.env);
  const hosts = readHosts(process.env.CENTSPAN_WEB_HOSTS, mode.kind === "accounts" ? mode.url : undefined);
  if (!isKnownHost(request.headers.get("host"), hosts)) return refuse(421, WRONG_HOST);
  if (mode.kind === "single-user" && !isFromHere(request.headers.get("x-forwarded-for")))
    return refuse(403, NOT_FROM_HERE);
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (!isRead && !isOwnOrigin(request.headers.get("origin"), request.headers.get("host")))
    return refuse(403, WRONG_ORIGIN);
  const headers = new Headers(request.headers);
  headers.set(PATH_HEADER, `${request.nextUrl.pathname}${request.nextUrl.search}`);
  const language = request.nextUrl.searchParams.get("lang");
  if (!isLanguage(language)) return NextResponse.next({ request: { headers } });
  headers.set(LANGUAGE_HEADER, language);
  const response = NextResponse.next({ request: { headers } });
  response.cookies.set("lang", language, { path: "/", maxAge: 31_536_000, sameSite: "lax" });
  return response;
}

/** All but the Trace API, for programs and for agents, where a key decides, and files that say nothing. */
export const config = { matcher: ["/((?!api/|mcp|_next/static/|icon).*)"] };
