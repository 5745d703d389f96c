/** `?lang=ko` in an address sets the language for good and goes out of the address. */
import { type NextRequest, NextResponse } from "next/server";
import { isLanguage } from "#i18n";

export function proxy(request: NextRequest): NextResponse {
  const { pathname, searchParams } = request.nextUrl;
  const language = searchParams.get("lang");
  if (!isLanguage(language)) return NextResponse.next();
  const rest = new URLSearchParams(searchParams);
  rest.delete("lang");
  const location = rest.size === 0 ? pathname : `${pathname}?${rest}`;
  const response = new NextResponse(null, { status: 307, headers: { location } });
  response.cookies.set("lang", language, { path: "/", maxAge: 31_536_000, sameSite: "lax" });
  return response;
}

export const config = { matcher: ["/", "/outcomes/:path*", "/keys/:path*", "/runs/:path*", "/sources/:path*"] };
