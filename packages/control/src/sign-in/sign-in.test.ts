import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, openControl } from "../index.ts";
import { createDatabase } from "../testing/create-database.ts";
import { startOidcProvider } from "../testing/start-oidc-provider.ts";
import { type Cookies, openSignIn, type SignIn } from "./index.ts";

const URL_OF_PAGES = "http://localhost:3000";
const SECRET = "a secret of tests, with more than 32 characters";
const PASSWORD = "correct horse battery";

let database: Awaited<ReturnType<typeof createDatabase>>;
let provider: Awaited<ReturnType<typeof startOidcProvider>>;
let control: Control;
let signIn: SignIn;
let secured: SignIn;

beforeAll(async () => {
  [database, provider] = await Promise.all([createDatabase(), startOidcProvider("centspan")]);
  control = openControl({ url: database.url });
  await control.migrate();
  await control.ensureWorkspace("acme", { id: "prod", name: "Production" });
  await control.ensureWorkspace("acme", { id: "lab", name: "Laboratory" });
  const oidc = {
    issuer: provider.issuer,
    clientId: "centspan",
    clientSecret: "s",
    name: "Acme",
    role: null,
    workspace: "prod",
  };
  signIn = openSignIn({ databaseUrl: database.url, url: URL_OF_PAGES, secret: SECRET, oidc });
  secured = openSignIn({ databaseUrl: database.url, url: "https://costs.example.com", secret: SECRET, oidc: null });
});

afterAll(async () => {
  await Promise.all([signIn.close(), secured.close(), control.close(), provider.close()]);
  await database.drop();
});

const read = async (statement: string): Promise<Record<string, unknown>[]> => {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
};

/** What a browser sends back of what it was told to keep. */
const headersOf = (cookies: Cookies): Headers =>
  new Headers({ cookie: cookies.map((cookie) => cookie.split(";", 1)[0]).join("; ") });
const nobody = new Headers();

const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "done",
    (thrown: unknown) => (thrown instanceof Error && "code" in thrown ? thrown.code : thrown),
  );

async function join(email: string, workspace = "prod", role: "owner" | "viewer" = "owner"): Promise<Cookies> {
  const { token } = await control.invite(workspace, { email, role }, "tests");
  return signIn.join(token, { name: email.split("@")[0] ?? "", password: PASSWORD }, nobody);
}

const tryPassword = (email: string, password = PASSWORD, address = "192.0.2.1"): Promise<Cookies> =>
  signIn.signIn({ email, password, address }, nobody);

describe("invitations", () => {
  it("make the first owner, and are good once", async () => {
    const { token, ...asked } = await control.invite("prod", { email: "ada@acme.example", role: "owner" }, "cli root");
    expect(await control.findInvitation(token)).toEqual({ ...asked, workspaceName: "Production", hasAccount: false });
    const cookies = await signIn.join(token, { name: "Ada", password: PASSWORD }, nobody);
    const ada = await signIn.findSession(headersOf(cookies));
    expect(ada).toMatchObject({ email: "ada@acme.example", name: "Ada" });
    expect(await control.listMemberships(ada?.personId ?? "")).toEqual([
      { workspace: "prod", workspaceName: "Production", org: "acme", role: "owner" },
    ]);
    expect(await control.findInvitation(token)).toBeNull();
    expect(await codeOf(signIn.join(token, { name: "Eve", password: PASSWORD }, nobody))).toBe("not_found");
    const kept = JSON.stringify([
      await read("SELECT * FROM sign_in_accounts"),
      await read("SELECT * FROM invitations"),
    ]);
    expect(kept).not.toContain(PASSWORD);
    expect(kept).not.toContain(token);
    expect((await control.listAudit("prod", 2)).map(({ action, actor }) => [action, actor])).toEqual([
      ["member.joined", `ada@acme.example (${ada?.personId})`],
      ["member.invited", "cli root"],
    ]);
  });

  it("are refused: another one's, a short password, an end that is past, one that was replaced or withdrawn", async () => {
    const bob = { email: "bob@acme.example", role: "viewer" } as const;
    const first = await control.invite("lab", bob, "tests");
    const second = await control.invite("lab", bob, "tests");
    expect(await control.findInvitation(first.token)).toBeNull();
    expect(await codeOf(signIn.join(second.token, { name: "Bob", password: "short" }, nobody))).toBe("invalid_request");
    await control.withdrawInvitation("lab", second.invitationId, "tests");
    expect(await codeOf(signIn.join(second.token, { name: "Bob", password: PASSWORD }, nobody))).toBe("not_found");
    const late = await control.invite("lab", bob, "tests");
    await read("UPDATE invitations SET expires_at = now() WHERE email = 'bob@acme.example'");
    expect(await codeOf(signIn.join(late.token, { name: "Bob", password: PASSWORD }, nobody))).toBe("not_found");
    expect(await codeOf(control.withdrawInvitation("prod", late.invitationId, "tests"))).toBe("not_found");
    expect(await codeOf(control.invite("nowhere", bob, "tests"))).toBe("not_found");
  });

  it("let in who has an account only after they signed in, as themselves", async () => {
    const cookies = await join("cleo@acme.example");
    const { token } = await control.invite("lab", { email: "cleo@acme.example", role: "viewer" }, "tests");
    expect(await codeOf(signIn.join(token, { name: "Eve", password: PASSWORD }, nobody))).toBe("conflict");
    const cleo = await signIn.findSession(headersOf(cookies));
    const other = await signIn.findSession(headersOf(await join("dan@acme.example")));
    if (cleo === null || other === null) throw new Error("nobody is signed in");
    expect(await codeOf(signIn.joinAs(token, other))).toBe("conflict");
    await signIn.joinAs(token, cleo);
    const roles = (await control.listMemberships(cleo.personId)).map(({ workspace, role }) => [workspace, role]);
    expect(roles).toEqual([
      ["lab", "viewer"],
      ["prod", "owner"],
    ]);
    expect(await codeOf(control.invite("lab", { email: "cleo@acme.example", role: "owner" }, "tests"))).toBe(
      "conflict",
    );
  });

  it("set a new password for who forgot it, which ends all sessions", async () => {
    const before = await join("fay@acme.example");
    const { token } = await control.inviteToReset("prod", "fay@acme.example", "tests");
    const after = await signIn.join(token, { name: "", password: "another good password" }, nobody);
    expect(await signIn.findSession(headersOf(before))).toBeNull();
    expect(await signIn.findSession(headersOf(after))).toMatchObject({ email: "fay@acme.example" });
    expect(await codeOf(tryPassword("fay@acme.example"))).toBe("unauthenticated");
    expect(await codeOf(control.inviteToReset("prod", "nobody@acme.example", "tests"))).toBe("not_found");
  });
});

describe("members", () => {
  it("change and leave, but never the last owner", async () => {
    await control.ensureWorkspace("acme", { id: "small", name: "Small" });
    await join("gil@acme.example", "small");
    await join("hal@acme.example", "small", "viewer");
    const [gil, hal] = await control.listMembers("small");
    if (gil === undefined || hal === undefined) throw new Error("members are missing");
    expect(await codeOf(control.setRole("small", gil.personId, "viewer", "tests"))).toBe("conflict");
    expect(await codeOf(control.removeMember("small", gil.personId, "tests"))).toBe("conflict");
    await control.setRole("small", hal.personId, "owner", "tests");
    // Two owners who remove each other at once leave one.
    const both = await Promise.all(
      [gil, hal].map(({ personId }) => codeOf(control.removeMember("small", personId, "t"))),
    );
    expect(both.sort()).toEqual(["conflict", "done"]);
    expect(await control.listMembers("small")).toHaveLength(1);
    expect(await codeOf(control.setRole("lab", gil.personId, "owner", "tests"))).toBe("not_found");
  });
});

describe("sessions", () => {
  it("are new each time, in a cookie that no script reads and no other site sends, for https alone where the pages are", async () => {
    const [first] = await join("ivy@acme.example");
    const [second] = await tryPassword("IVY@acme.example");
    expect(first).toMatch(/^centspan\.session_token=[^;]+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(second?.split(";")[0]).not.toBe(first?.split(";")[0]);
    const [secure] = await secured.signIn({ email: "ivy@acme.example", password: PASSWORD, address: "::1" }, nobody);
    expect(secure).toMatch(/^__Secure-centspan\.session_token=.*; Secure/);
  });

  it("end: here, everywhere, with a changed password, and by their time", async () => {
    const [a, b, c] = [
      await join("joe@acme.example"),
      await tryPassword("joe@acme.example"),
      await tryPassword("joe@acme.example"),
    ];
    const isLive = async (cookies: Cookies): Promise<boolean> =>
      (await signIn.findSession(headersOf(cookies))) !== null;
    expect((await signIn.signOut(headersOf(a))).join()).toContain("Max-Age=0");
    expect([await isLive(a), await isLive(b), await isLive(c)]).toEqual([false, true, true]);
    const change = (before: string) => signIn.changePassword({ before, after: "a longer password" }, headersOf(b));
    expect(await codeOf(change("wrong password"))).toBe("unauthenticated");
    const fresh = await change(PASSWORD);
    expect([await isLive(b), await isLive(c), await isLive(fresh)]).toEqual([false, false, true]);
    const joe = await signIn.findSession(headersOf(fresh));
    await signIn.signOutEverywhere(joe?.personId ?? "", headersOf(fresh));
    expect(await isLive(fresh)).toBe(false);
    const last = await tryPassword("joe@acme.example", "a longer password");
    await read(`UPDATE sessions SET expires_at = now() WHERE person = '${joe?.personId}'`);
    expect(await isLive(last)).toBe(false);
  });

  it("are nothing that can be made up, or signed with another secret", async () => {
    const [cookie = ""] = await join("kim@acme.example");
    const other = openSignIn({ databaseUrl: database.url, url: URL_OF_PAGES, secret: `${SECRET}!`, oidc: null });
    const token = decodeURIComponent(cookie.split(";")[0] ?? "")
      .split(".")
      .slice(0, -1)
      .join(".");
    expect(await other.findSession(headersOf([cookie]))).toBeNull();
    expect(await signIn.findSession(new Headers({ cookie: token }))).toBeNull();
    expect(await signIn.findSession(new Headers({ cookie: "centspan.session_token=x.y" }))).toBeNull();
    await other.close();
  });
});

describe("tries", () => {
  it("are ten of one address of mail, right ones included after too many wrong ones, whoever tries", async () => {
    await join("lea@acme.example");
    const all = Array.from({ length: 12 }, (_, i) =>
      codeOf(tryPassword("lea@acme.example", "wrong password", `192.0.2.${i}`)),
    );
    const codes = await Promise.all(all);
    expect(codes.filter((code) => code === "unauthenticated")).toHaveLength(10);
    expect(codes.filter((code) => code === "rate_limited")).toHaveLength(2);
    expect(await codeOf(tryPassword("lea@acme.example"))).toBe("rate_limited");
    await read("UPDATE sign_in_tries SET since = since - interval '15 minutes'");
    expect(await codeOf(tryPassword("lea@acme.example"))).toBe("done");
  });

  it("are a hundred of one address of the network, whatever it tries, and say how long to wait", async () => {
    expect(await codeOf(tryPassword("nobody@acme.example", "x", "198.51.100.7"))).toBe("unauthenticated");
    await read("UPDATE sign_in_tries SET tries = 100 WHERE subject LIKE 'address%'");
    const refusal = await tryPassword("lea@acme.example", PASSWORD, "198.51.100.7").catch((thrown: unknown) => thrown);
    expect(refusal).toMatchObject({ code: "rate_limited" });
    expect(refusal).toHaveProperty(
      "retryAfterS",
      expect.toSatisfy((s: number) => s > 0 && s <= 900),
    );
  });
});

describe("a provider", () => {
  /** The way of a browser: to the provider, and back with what it was given. */
  async function comeBack(person: Partial<typeof provider.person>): Promise<Response> {
    provider.person = { sub: `s-${person.email}`, email: "", email_verified: true, name: "P", ...person };
    const { location, cookies } = await signIn.begin("/spend", nobody);
    const asked = await fetch(location, { redirect: "manual" });
    return signIn.finish(new Request(asked.headers.get("location") ?? "", { headers: headersOf(cookies) }));
  }

  it("signs in who was invited, by the address that it vouches for", async () => {
    await control.invite("prod", { email: "mia@acme.example", role: "engineer" }, "tests");
    const response = await comeBack({ email: "mia@acme.example", name: "Mia" });
    expect([response.status, response.headers.get("location")]).toEqual([302, "/spend"]);
    const mia = await signIn.findSession(headersOf(response.headers.getSetCookie()));
    expect(mia).toMatchObject({ email: "mia@acme.example", name: "Mia" });
    expect(await control.listMemberships(mia?.personId ?? "")).toMatchObject([{ workspace: "prod", role: "engineer" }]);
    expect(await read(`SELECT access_token, id_token FROM sign_in_accounts WHERE person = '${mia?.personId}'`)).toEqual(
      [{ access_token: null, id_token: null }],
    );
  });

  it.each([
    ["who was not invited", { email: "eve@acme.example" }, "not_invited"],
    [
      "whose address it does not vouch for",
      { email: "mia2@acme.example", email_verified: false },
      "email_not_verified",
    ],
    ["whose address signs in with a password here", { email: "ada@acme.example", sub: "other" }, "account_not_linked"],
  ])("does not sign in %s", async (_who, person, problem) => {
    if (problem !== "not_invited")
      await control.invite("lab", { email: person.email, role: "owner" }, "t").catch(() => {});
    const response = await comeBack(person);
    expect(response.headers.get("location")).toContain(`/sign-in?error=${problem}`);
    expect(await signIn.findSession(headersOf(response.headers.getSetCookie()))).toBeNull();
  });

  it("does not sign in who comes without having been sent", async () => {
    const forged = new Request(`${URL_OF_PAGES}/auth/callback/oidc?code=x&state=y`);
    const response = await signIn.finish(forged);
    expect(response.headers.get("location")).toContain("/sign-in?error=");
  });
});

it("says that the store is away where it is, and takes nobody for signed out", async () => {
  const cookies = await join("zoe@acme.example");
  const away = openSignIn({
    databaseUrl: "postgres://a:b@127.0.0.1:1/none",
    url: URL_OF_PAGES,
    secret: SECRET,
    oidc: null,
  });
  expect(await codeOf(away.findSession(headersOf(cookies)))).toBe("store_unavailable");
  expect(await codeOf(away.signIn({ email: "a@b.example", password: PASSWORD, address: "" }, nobody))).toBe(
    "store_unavailable",
  );
  await away.close();
});
