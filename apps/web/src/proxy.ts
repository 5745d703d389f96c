/** `?lang=ko` in an address sets the language: for this answer through a header, for later ones through the cookie. */
import { type NextRequest, NextResponse } from "next/server";
import { isLanguage, LANGUAGE_HEADER } from "#i18n";

export function proxy(request: NextRequest): NextResponse {
  const language = request.nextUrl.searchParams.get("lang");
  if (!isLanguage(language)) return NextResponse.next();
  const headers = new Headers(request.headers);
  headers.set(LANGUAGE_HEADER, language);
  const response = NextResponse.next({ request: { headers } });
  response.cookies.set("lang", language, { path: "/", maxAge: 31_536_000, sameSite: "lax" });
  return response;
}

export const config = { matcher: ["/", "/outcomes/:path*", "/keys/:path*", "/runs/:path*", "/sources/:path*"] };
