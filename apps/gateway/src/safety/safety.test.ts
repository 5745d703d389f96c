import type { ConversationItem } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { safetyChecks } from "../registry.gen.ts";
import { selectNewItems } from "../stages/check-safety.ts";
import secrets from "./secrets.ts";

describe("every safety check", () => {
  it.each(safetyChecks.map((check) => [check.id, check] as const))(
    "%s lets plain text pass, at any size",
    async (_id, check) => {
      expect(await check.check("")).toMatchObject({ allowed: true });
      expect(await check.check("please fix the failing test ".repeat(50_000))).toMatchObject({ allowed: true });
    },
  );

  it("has an id of its own, in order", () => {
    const ids = safetyChecks.map((check) => check.id);
    expect(ids).toEqual([...new Set(ids)].sort());
  });
});

// Assembled, so that no scanner takes this file for a leak.
const base64 = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC".repeat(3);
const letters = (count: number): string => "a1B2c3D4e5F6g7H8i9J0".repeat(5).slice(0, count);

describe("secrets", () => {
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
    const verdict = await secrets.check(`config = "${secret}"`);
    expect(verdict.allowed).toBe(false);
    expect(verdict.reason).not.toContain(secret);
  });

  it.each([
    "-----BEGIN PUBLIC KEY-----",
    "sk-your-key-here",
    "AKIA",
    "-----BEGIN PRIVATE KEY----- (your key)",
    "cs_gateway_…",
  ])("lets a placeholder pass: %s", async (text) => expect(await secrets.check(text)).toMatchObject({ allowed: true }));
});

describe("selectNewItems", () => {
  const user: ConversationItem = { type: "message", role: "user", text: "u" };
  const assistant: ConversationItem = { type: "message", role: "assistant", text: "a" };
  const call: ConversationItem = { type: "tool_call", callId: "c", name: "f", argumentsJson: "{}" };
  const result: ConversationItem = { type: "tool_result", callId: "c", output: "r" };
  it.each([
    ["the first request is all new", [user, user], [user, user]],
    ["results of the model's calls", [user, assistant, call, result, user], [result, user]],
    ["nothing since the model spoke", [user, assistant], []],
  ])("%s", (_why, items, expected) => expect(selectNewItems(items)).toEqual(expected));
});
