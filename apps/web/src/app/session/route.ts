/** Signs in and out: plain forms of the sign-in, join and account pages. The proxy has seen that they are of this server. */
import { CentspanError } from "@centspan/base";
import type { Cookies, SignIn } from "@centspan/control/sign-in";
import { z } from "zod";
import { readPath } from "#server/path-header";
import { openOnce } from "#server/stores";

export const dynamic = "force-dynamic";

const text = z.string().default("");
const formSchema = z.object({
  do: z.enum(["sign-in", "provider", "sign-out", "sign-out-everywhere", "change-password", "join", "join-as"]),
  email: text,
  name: text,
  password: text,
  newPassword: text,
  token: text,
  next: text,
});
type Form = z.output<typeof formSchema>;
type Answer = { to: string; cookies: Cookies };

const answer = ({ to, cookies }: Answer): Response => {
  const headers = new Headers({ location: to });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
};

/** As the nearest of those who passed it on says: others may say what they like. */
const readAddress = (headers: Headers): string => headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() ?? "";

async function requireSession(signIn: SignIn, headers: Headers) {
  const person = await signIn.findSession(headers);
  if (person === null) throw new CentspanError("unauthenticated", "your session is over");
  return person;
}

const STEPS: Record<Form["do"], (signIn: SignIn, form: Form, headers: Headers) => Promise<Answer>> = {
  "sign-in": async (signIn, { email, password, next }, headers) => ({
    to: readPath(next),
    cookies: await signIn.signIn({ email, password, address: readAddress(headers) }, headers),
  }),
  provider: async (signIn, { next }, headers) => {
    const { location, cookies } = await signIn.begin(readPath(next), headers);
    return { to: location, cookies };
  },
  "sign-out": async (signIn, _form, headers) => ({ to: "/sign-in?said=out", cookies: await signIn.signOut(headers) }),
  "sign-out-everywhere": async (signIn, _form, headers) => {
    const { personId } = await requireSession(signIn, headers);
    return { to: "/sign-in?said=out", cookies: await signIn.signOutEverywhere(personId, headers) };
  },
  "change-password": async (signIn, { password, newPassword }, headers) => ({
    to: "/settings/account?said=changed",
    cookies: await signIn.changePassword({ before: password, after: newPassword }, headers),
  }),
  join: async (signIn, { token, name, password, email }, headers) => ({
    to: "/",
    cookies: await signIn.join(token, { name: name.trim() || email, password }, headers),
  }),
  "join-as": async (signIn, { token }, headers) => {
    await signIn.joinAs(token, await requireSession(signIn, headers));
    return { to: "/", cookies: [] };
  },
};

/** Back to the form, which says why. */
function describeRefusal(form: Form, error: CentspanError): Answer {
  if (form.do.startsWith("join")) {
    const path = `/join/${encodeURIComponent(form.token)}`;
    return { to: `${path}?problem=${encodeURIComponent(error.message)}`, cookies: [] };
  }
  if (form.do === "change-password") {
    const problem = error.code === "unauthenticated" ? "password" : error.message;
    return { to: `/settings/account?problem=${encodeURIComponent(problem)}`, cookies: [] };
  }
  const problem: Record<string, string> =
    error.code === "rate_limited"
      ? { problem: "rate", wait: String(Math.ceil((error.retryAfterS ?? 900) / 60)) }
      : { problem: error.code === "unauthenticated" ? "credentials" : "provider" };
  const search = new URLSearchParams({ ...problem, ...(form.next !== "" && { next: readPath(form.next) }) });
  return { to: `/sign-in?${search}`, cookies: [] };
}

export async function POST(request: Request): Promise<Response> {
  const sent = await request.formData().catch(() => new FormData());
  const parsed = formSchema.safeParse(Object.fromEntries(sent));
  if (!parsed.success) return new Response("do: names what to do\n", { status: 400 });
  const { signIn } = openOnce();
  if (signIn === null) return answer({ to: "/", cookies: [] });
  try {
    return answer(await STEPS[parsed.data.do](signIn, parsed.data, request.headers));
  } catch (thrown) {
    if (!(thrown instanceof CentspanError)) throw thrown;
    if (thrown.code === "store_unavailable") return new Response(`${thrown.message}\n`, { status: thrown.status });
    return answer(describeRefusal(parsed.data, thrown));
  }
}
