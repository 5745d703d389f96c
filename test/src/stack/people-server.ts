/** A second web app on the shared stack's stores, where people sign in; and people of it, each as a browser's cookies. */
import { inject } from "vitest";
import { findFreePorts, runProcess, startProcess } from "./processes.ts";

export const PASSWORD = "correct horse battery";

export type PeopleServer = {
  url: string;
  /** The way to join that the command prints. */
  invite(email: string, role: string, workspace?: string): Promise<string>;
  /** Somebody new, who has joined: what their browser sends with each request. */
  join(email: string, role: string, workspace?: string): Promise<Person>;
  end(): Promise<void>;
};

export type Person = {
  get(path: string): Promise<Response>;
  /** As a form of a page of this server. */
  post(path: string, form: Record<string, string> | FormData): Promise<Response>;
};

export async function startPeopleServer(env: Record<string, string> = {}): Promise<PeopleServer> {
  const { clickhouseUrl, databaseUrl } = inject("connection");
  const port = await findFreePorts(1);
  const url = `http://localhost:${port}`;
  const server = startProcess(["apps/web/.next/standalone/apps/web/start.mjs"], {
    ...{ CLICKHOUSE_URL: clickhouseUrl, DATABASE_URL: databaseUrl, NODE_ENV: "production" },
    ...{ HOSTNAME: "127.0.0.1", PORT: String(port), CENTSPAN_SIGN_IN: "on", CENTSPAN_WEB_URL: url },
    ...{ CENTSPAN_AUTH_SECRET: "a secret of tests, with more than 32 characters", ...env },
  });
  await server.waitFor(/^\{"ready":true.*$/m, 60_000);

  const invite = async (email: string, role: string, workspace = "default"): Promise<string> => {
    const where = ["--workspace", workspace, "--data", inject("dataDir")];
    const { code, output } = await runProcess([
      "apps/cli/dist/main.js",
      "members",
      "invite",
      email,
      "--role",
      role,
      ...where,
    ]);
    const path = /\/join\/\S+/.exec(output)?.[0];
    if (code !== 0 || path === undefined) throw new Error(output);
    return path;
  };

  function openBrowserless(cookie: string): Person {
    const headers = { cookie, origin: url };
    return {
      get: (path) => fetch(`${url}${path}`, { headers, redirect: "manual" }),
      post: (path, form) => {
        const body = form instanceof FormData ? form : new URLSearchParams(form);
        return fetch(`${url}${path}`, { method: "POST", headers, body, redirect: "manual" });
      },
    };
  }

  return {
    url,
    invite,
    async join(email, role, workspace) {
      const token = (await invite(email, role, workspace)).split("/").at(-1) ?? "";
      const joined = await openBrowserless("").post("/session", { do: "join", token, name: email, password: PASSWORD });
      const cookies = joined.headers.getSetCookie().map((line) => line.split(";", 1)[0]);
      if (joined.status !== 303 || cookies.length === 0)
        throw new Error(`${email} did not join: ${joined.headers.get("location")}`);
      return openBrowserless(cookies.join("; "));
    },
    async end() {
      server.child.kill("SIGTERM");
      await server.exited;
    },
  };
}
