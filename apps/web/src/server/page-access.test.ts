import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { findAccess, PAGES } from "./page-access.ts";

const SOURCES = fileURLToPath(new URL("../", import.meta.url));
const list = (folder: string): string[] =>
  readdirSync(`${SOURCES}${folder}`, { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`);
const read = (file: string): string => readFileSync(`${SOURCES}${file}`, "utf8");

const endings = list("app").filter((file) => /\/(page\.tsx|route\.ts)$/.test(file));
const pathOf = (file: string): string => file.replace(/^app/, "").replace(/\/(page\.tsx|route\.ts)$/, "") || "/";

it("lists every page and route of the app folder, and nothing else", () => {
  expect(Object.keys(PAGES).sort()).toEqual(endings.map(pathOf).sort());
});

it.each(endings.map((file) => [pathOf(file), file]))("%s asks for what it needs", (path, file) => {
  const source = read(file);
  const opens = file.endsWith("page.tsx") ? "renderPage(" : "openTraceApi(";
  // What needs nothing either shows one's own account, or is one of those that a password, a link or a key opens.
  if (PAGES[path] !== null) expect(source).toContain(opens);
  else if (!source.includes(opens)) expect(OPEN).toContain(path);
});

/** Whoever comes may ask for these. */
const OPEN = [
  "/approve/[token]",
  "/join/[token]",
  "/sign-in",
  "/session",
  "/auth/callback/[provider]",
  "/preferences",
  "/api/v1/[...path]",
  "/mcp",
];

it("server actions reach nothing but the Trace API, which knows who asks", () => {
  const actions = [...list("features"), ...list("components"), ...list("app")].filter(
    (file) => /\.tsx?$/.test(file) && /^["']use server["'];/.test(read(file)),
  );
  expect(actions.length).toBeGreaterThan(3);
  const reached = actions.map((file) => {
    const imports = [...read(file).matchAll(/^import (?!type)[^;]*? from "(.*)";/gm)].map(([, from = ""]) => from);
    return [file, imports.filter((from) => from.startsWith("#server/") || /control|warehouse/.test(from)).sort()];
  });
  const others = reached.filter(([, from]) => String(from) !== "#server/trace-api");
  expect(others).toEqual([["features/settings/actions.ts", ["#server/describe-origin", "#server/trace-api"]]]);
});

it.each([
  ["/", "figures.read"],
  ["/keys/key_1", "figures.read"],
  ["/runs/%2Fx", "figures.read"],
  ["/settings/members", "members.manage"],
  ["/sign-in", null],
])("%s needs %s", (path, access) => expect(findAccess(path)).toBe(access));

it("what is not in the list is a fault, not open", () => {
  for (const path of ["/nowhere", "/keys", "/settings/members/x", ""])
    expect(() => findAccess(path)).toThrow("page-access");
});
