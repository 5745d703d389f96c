import { expect, it } from "vitest";
import { listScopes, readKey, readLimits } from "./key-form.ts";

function formOf(entries: Record<string, string | string[]>): FormData {
  const form = new FormData();
  for (const [name, values] of Object.entries(entries)) for (const value of [values].flat()) form.append(name, value);
  return form;
}

it("keeps what the form says nothing of, and takes what it says in its place", () => {
  const before = { content: true, models: ["old"], requestsPerMinute: 5, priority: "batch" } as const;
  const form = formOf({ models: " gpt-*, claude-* ", requestsPerMinute: "", tokensPerMinute: "1000" });
  expect(readLimits(form, { ...before, models: ["old"] })).toEqual({
    ...{ content: true, priority: "batch", models: ["gpt-*", "claude-*"], tokensPerMinute: 1000 },
  });
});

it.each(["0", "-1", "1.5", "many", "1e400"])("takes %j for no limit that there is", (text) => {
  expect(readLimits(formOf({ requestsPerMinute: text }), {})).toBeNull();
  expect(readKey(formOf({ name: "a", kind: "gateway", requestsPerMinute: text }))).toBeNull();
});

it.each([
  [{ name: "ci", kind: "api", scopes: ["figures.read", "content.read"] }, { scopes: ["figures.read", "content.read"] }],
  [
    { name: "ci", kind: "api" },
    { name: "ci", kind: "api" },
  ],
  // What is meant for another kind is not taken along.
  [
    { name: "ci", kind: "ingest", scopes: "figures.read", requestsPerMinute: "5" },
    { name: "ci", kind: "ingest" },
  ],
  [
    { name: "bot", kind: "gateway", team: "ml", requestsPerMinute: "5" },
    { team: "ml", rules: { requestsPerMinute: 5 } },
  ],
] as const)("reads %j", (sent, key) => {
  expect(readKey(formOf(JSON.parse(JSON.stringify(sent))))?.data).toMatchObject(key);
});

it.each([
  [{ name: "Not A Name", kind: "api" }],
  [{ name: "ci", kind: "root" }],
  [{ name: "ci", kind: "api", scopes: "everything" }],
])("refuses %j", (sent) => expect(readKey(formOf(sent))?.success).toBe(false));

it("offers what one has oneself", () => {
  expect(listScopes((permission) => permission === "figures.read")).toEqual(["figures.read", "telemetry.send"]);
});
