import { openSafetyChecks } from "@centspan/model";
import { redactSecrets } from "@centspan/telemetry/content";
import { describe, expect, it } from "vitest";
import { createAllowedTexts } from "../allowed-texts.ts";
import { safetyPlugins } from "../registry.gen.ts";

const safetyChecks = openSafetyChecks(safetyPlugins, {});

describe("every safety check", () => {
  it.each(safetyChecks.map((check) => [check.id, check] as const))(
    "%s lets plain text pass, at any size",
    async (_id, check) => {
      expect(await check.check("")).toMatchObject({ allowed: true });
      expect(await check.check("please fix the failing test ".repeat(50_000))).toMatchObject({ allowed: true });
    },
  );

  it("has an id of its own, in order", () => {
    const ids = safetyPlugins.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort());
  });
});

// Assembled, so that no scanner takes this file for a leak.
const base64 = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC".repeat(3);
const letters = (count: number): string => "a1B2c3D4e5F6g7H8i9J0".repeat(5).slice(0, count);

describe("secrets", () => {
  const checkSecrets = (text: string) =>
    safetyChecks.find(({ id }) => id === "secrets")?.check(text) ?? Promise.reject(new Error("no such check"));

  it.each([
    ["private key", `-----BEGIN RSA PRIVATE ${"KEY"}-----\n${base64}`],
    ["private key in JSON", `-----BEGIN PRIVATE ${"KEY"}-----\\n${base64}`],
    ["OpenAI key", `sk-proj-${letters(48)}`],
    ["Anthropic key", `sk-ant-${letters(48)}`],
    ["AWS access key id", `AKIA${"ABCDEFGHIJKLMNOP"}`],
    ["GitHub token", `ghp_${letters(36)}`],
    ["Slack token", `xoxb-${"123456789012"}-${letters(24)}`],
    ["Google API key", `AIza${letters(35)}`],
    ["key of ours", `cs_gateway_${letters(43)}`],
  ])("blocks: %s", async (_name, secret) => {
    const verdict = await checkSecrets(`config = "${secret}"`);
    expect(verdict.allowed).toBe(false);
    expect(verdict.reason).not.toContain(secret);
    expect(redactSecrets(`a "${secret}" b`)).toMatch(/^a "\[[\w ]+\]" b$/);
  });

  it.each(["\\n", "\\t", "\\u000a"])("blocks what begins a line in JSON, behind %s", async (end) => {
    const text = `{"text":"A=1${end}sk-ant-${letters(48)}"}`;
    expect(await checkSecrets(text)).toMatchObject({ allowed: false });
    expect(redactSecrets(text)).toBe(`{"text":"A=1${end}[OpenAI key]"}`);
    expect(await checkSecrets(text.replace(end, "n"))).toMatchObject({ allowed: true });
  });

  it.each([
    "-----BEGIN PUBLIC KEY-----",
    "sk-your-key-here",
    "AKIA",
    "-----BEGIN PRIVATE KEY----- (your key)",
    "cs_gateway_…",
  ])("lets a placeholder pass: %s", async (text) => {
    expect(await checkSecrets(text)).toMatchObject({ allowed: true });
    expect(redactSecrets(text)).toBe(text);
  });
});

describe("allowed texts", () => {
  it("are not new again, in any conversation, until others have pushed them out", () => {
    const allowed = createAllowedTexts(2);
    const select = (...texts: string[]) => allowed.selectNew(texts);
    const first = select("a", "b", "a");
    expect(first.texts).toEqual(["a", "b", "a"]);
    first.allow();
    const second = select("c", "b", "a");
    expect(second.texts).toEqual(["c"]);
    second.allow();
    expect(select("a", "b", "c").texts).toEqual(["b"]);
  });
});
