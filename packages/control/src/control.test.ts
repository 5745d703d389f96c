import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { openGate } from "@centspan/testing";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, openControl } from "./index.ts";
import { MIGRATIONS } from "./migrations.gen.ts";
import { createDatabase } from "./testing/create-database.ts";

let database: Awaited<ReturnType<typeof createDatabase>>;
let control: Control;

beforeAll(async () => {
  database = await createDatabase();
  control = openControl({ url: database.url });
  await control.migrate();
  await control.ensureWorkspace("acme", { id: "prod", name: "Production" });
  await control.ensureWorkspace("acme", { id: "lab", name: "Laboratory" });
  await control.ensureWorkspace("other", { id: "theirs", name: "Theirs" });
});

afterAll(async () => {
  await control.close();
  await database.drop();
});

const read = async (url: string, statement: string): Promise<Record<string, unknown>[]> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(statement);
    return rows;
  } finally {
    await client.end();
  }
};

describe("migrations", () => {
  it("carries exactly the committed files", () => {
    const folder = new URL("../migrations/", import.meta.url);
    const journal = JSON.parse(readFileSync(new URL("meta/_journal.json", folder), "utf8"));
    const files = journal.entries.map(({ tag, when }: { tag: string; when: number }) => ({
      tag,
      when,
      sql: readFileSync(new URL(`${tag}.sql`, folder), "utf8"),
    }));
    expect(MIGRATIONS).toEqual(files);
    expect(MIGRATIONS.length).toBeGreaterThan(0);
  });

  it("applies each migration once, however many processes start at once and how often", async () => {
    const fresh = await createDatabase();
    const several = Array.from({ length: 6 }, () => openControl({ url: fresh.url }));
    await Promise.all(several.map((one) => one.migrate()));
    await several[0]?.migrate();
    await several[0]?.ensureWorkspace("acme", { id: "prod", name: "Production" });
    await Promise.all(several.map((one) => one.close()));
    const applied = await read(fresh.url, "SELECT hash FROM drizzle.__drizzle_migrations ORDER BY id");
    const hashes = MIGRATIONS.map(({ sql }) => createHash("sha256").update(sql).digest("hex"));
    expect(applied.map(({ hash }) => hash)).toEqual(hashes);
    await fresh.drop();
  });
});

describe("keys", () => {
  it("gives a secret once, keeps its hash only, and resolves it to its principal", async () => {
    const key = await control.createKey(
      { workspace: "prod", name: "payments", kind: "gateway", team: "payments" },
      "tests",
    );
    expect(key.secret).toMatch(/^cs_gateway_[A-Za-z0-9_-]{43}$/);
    expect(key.hint).toBe(key.secret.slice(-4));
    expect(await control.findPrincipal(key.secret)).toEqual({
      keyId: key.keyId,
      keyName: "payments",
      kind: "gateway",
      scopes: null,
      workspace: "prod",
      org: "acme",
      orgWide: false,
      team: "payments",
      rules: {},
    });
    const [row] = await read(
      database.url,
      `SELECT k::text AS text, encode(secret_hash, 'hex') AS hash FROM keys k WHERE id = '${key.keyId}'`,
    );
    expect(row?.hash).toBe(createHash("sha256").update(key.secret).digest("hex"));
    expect(row?.text).not.toContain(key.secret.slice("cs_gateway_".length));
    const listed = (await control.listKeys("prod")).find(({ keyId }) => keyId === key.keyId);
    expect(JSON.stringify(listed)).not.toContain(key.secret);
    expect(listed).toMatchObject({ name: "payments", team: "payments", revokedAt: null });
    expect(await control.listTeams("prod")).toContainEqual({ id: "payments", name: "payments", department: "" });
  });

  it("knows no secret that it didn't give", async () => {
    const { secret } = await control.createKey({ workspace: "prod", name: "near", kind: "api", team: null }, "tests");
    for (const other of ["", "cs_api_", secret.slice(0, -1), `${secret}x`, secret.toUpperCase(), `${secret}\0`]) {
      expect(await control.findPrincipal(other)).toBeNull();
    }
  });

  it("refuses a second live key of a name in a workspace, and frees the name by revoking", async () => {
    const request = { workspace: "prod", name: "ci", kind: "ingest", team: null } as const;
    const races = await Promise.allSettled(Array.from({ length: 5 }, () => control.createKey(request, "tests")));
    const [won] = races.flatMap((race) => (race.status === "fulfilled" ? [race.value] : []));
    const lost = races.flatMap((race) => (race.status === "rejected" ? [race.reason] : []));
    expect(lost).toHaveLength(4);
    for (const reason of lost) expect(reason).toMatchObject({ code: "conflict", field: "name" });
    await control.createKey({ ...request, workspace: "lab" }, "tests");

    const { keyId, secret } = won ?? { keyId: "", secret: "" };
    await control.revokeKey("prod", keyId, "tests");
    expect(await control.findPrincipal(secret)).toBeNull();
    const revokedAt = async () => (await control.listKeys("prod")).find((key) => key.keyId === keyId)?.revokedAt;
    const first = await revokedAt();
    expect(first).toBeInstanceOf(Date);
    await control.revokeKey("prod", keyId, "tests");
    expect(await revokedAt()).toEqual(first);
    const again = await control.createKey(request, "tests");
    expect(await control.findPrincipal(again.secret)).toMatchObject({ keyName: "ci" });
  });

  it("is org-wide only when made so", async () => {
    const key = await control.createKey(
      { workspace: "prod", name: "wide", kind: "api", team: null, orgWide: true },
      "tests",
    );
    expect(await control.findPrincipal(key.secret)).toMatchObject({ orgWide: true, org: "acme" });
    expect("orgWide" in key).toBe(false);
  });

  it("leaves in the audit log who made it, said what it may do and revoked it", async () => {
    await control.ensureWorkspace("audits", { id: "audited", name: "audited" });
    const request = { workspace: "audited", name: "bot", kind: "gateway" as const, team: "ml" };
    const { keyId } = await control.createKey(request, "ada (key_1)");
    await control.createKey(request, "eve (key_2)").catch(() => undefined);
    await control.setKeyRules("audited", keyId, { models: ["gpt-*"] }, "bob (key_3)");
    await control.revokeKey("audited", keyId, "ada (key_1)");
    await control.revokeKey("lab", keyId, "eve (key_2)").catch(() => undefined);
    const log = await control.listAudit("audited", 10);
    expect(log.map(({ actor, action, subject, details }) => [actor, action, subject, details])).toEqual([
      ["ada (key_1)", "key.revoked", keyId, { name: "bot" }],
      ["bob (key_3)", "key.rules", keyId, { name: "bot", rules: '{"models":["gpt-*"]}' }],
      [
        "ada (key_1)",
        "key.created",
        keyId,
        { name: "bot", kind: "gateway", scopes: "", team: "ml", rules: "{}", orgWide: "false" },
      ],
    ]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ["an id", () => control.revokeKey("prod", "a\0b", "tests")],
    [
      "a text in JSON",
      async () => {
        const { keyId } = await control.createKey(
          { workspace: "prod", name: "nul", kind: "gateway", team: null },
          "tests",
        );
        await control.setKeyRules("prod", keyId, { models: ["a\0b"] }, "tests");
      },
    ],
  ])("is not asked for, and has nothing, with a NUL: %s", async (_what, ask) => {
    await expect(ask()).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("tells nobody what it was given where Postgres refuses it", async () => {
    const thrown = await control.writeJob("s3cret", 2n ** 70n).catch((error: unknown) => inspect(error));
    expect(thrown).toContain("(22003)");
    expect(thrown).not.toContain("s3cret");
  });

  it("keeps workspaces apart", async () => {
    const key = await control.createKey({ workspace: "lab", name: "mine", kind: "api", team: "research" }, "tests");
    expect((await control.listKeys("theirs")).length).toBe(0);
    expect(await control.listTeams("theirs")).toEqual([]);
    await expect(control.revokeKey("prod", key.keyId, "tests")).rejects.toMatchObject({ code: "not_found" });
    expect(await control.findPrincipal(key.secret)).toMatchObject({ workspace: "lab" });
  });

  it("names a workspace that doesn't exist", async () => {
    const request = { workspace: "nowhere", name: "a", kind: "api" } as const;
    await expect(control.createKey({ ...request, team: null }, "tests")).rejects.toMatchObject({ code: "not_found" });
    await expect(control.createKey({ ...request, team: "t" }, "tests")).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("organisations", () => {
  it("ensures a workspace once, and never moves it to another organisation", async () => {
    await control.ensureWorkspace("acme", { id: "prod", name: "Renamed" });
    expect((await control.listWorkspaces("acme")).map(({ id, name }) => [id, name])).toEqual([
      ["lab", "Laboratory"],
      ["prod", "Production"],
    ]);
    await expect(control.ensureWorkspace("thief", { id: "prod", name: "Mine" })).rejects.toMatchObject({
      code: "conflict",
    });
    expect(await control.listWorkspaces("thief")).toEqual([]);
  });

  it("keeps a key's rules, which whoever presents it is known by", async () => {
    const rules = { models: ["gpt-*"], tokensPerMinute: 1000 };
    const key = await control.createKey(
      { workspace: "lab", name: "ruled", kind: "gateway", team: null, rules },
      "tests",
    );
    expect(key.rules).toEqual(rules);
    const changed = await control.setKeyRules("lab", key.keyId, { priority: "batch" }, "tests");
    expect(changed.rules).toEqual({ priority: "batch" });
    expect(await control.findPrincipal(key.secret)).toMatchObject({ rules: { priority: "batch" } });
    await expect(control.setKeyRules("prod", key.keyId, {}, "tests")).rejects.toMatchObject({ code: "not_found" });
    await control.revokeKey("lab", key.keyId, "tests");
  });

  it("ensures a team with its department, which a key of that team leaves alone", async () => {
    await control.ensureTeam("lab", { id: "ml", name: "ML", department: "R&D" });
    await control.ensureTeam("lab", { id: "ml", name: "Machine learning", department: "R&D" });
    expect(await control.listTeams("lab")).toContainEqual({ id: "ml", name: "Machine learning", department: "R&D" });
    await control.createKey({ workspace: "lab", name: "ml-agent", kind: "gateway", team: "ml" }, "tests");
    expect(await control.listTeams("lab")).toContainEqual({ id: "ml", name: "Machine learning", department: "R&D" });
    await expect(control.ensureTeam("nowhere", { id: "a", name: "A", department: "" })).rejects.toMatchObject({
      code: "not_found",
    });
  });
});

describe("retention", () => {
  it("is an entry for each workspace and signal, replaced and taken away", async () => {
    await control.setRetention("prod", "traces", 30, "tests");
    await control.setRetention("prod", "logs", 7, "tests");
    await control.setRetention("lab", "traces", 1, "tests");
    await control.setRetention("prod", "traces", 90, "tests");
    await control.setRetention("lab", "traces", null, "tests");
    await control.setRetention("lab", "metrics", null, "tests");
    expect(await control.listRetention()).toEqual([
      { workspace: "prod", signal: "logs", days: 7 },
      { workspace: "prod", signal: "traces", days: 90 },
    ]);
  });

  it("is refused for no time at all and for no workspace", async () => {
    for (const days of [0, -1, 36_501]) {
      await expect(control.setRetention("prod", "logs", days, "tests")).rejects.toMatchObject({ field: "days" });
    }
    await expect(control.setRetention("nowhere", "logs", 7, "tests")).rejects.toMatchObject({ code: "not_found" });
  });
});

it("keeps a job's watermark to the nanosecond", async () => {
  expect(await control.readJob("rating")).toBeNull();
  for (const watermark of [1_795_975_652_123_456_789n, 2n ** 63n - 1n, 5n]) {
    await control.writeJob("rating", watermark);
    expect(await control.readJob("rating")).toMatchObject({ watermarkNs: watermark, updatedAt: expect.any(Date) });
  }
});

it("says that the store is away, at every question, and answers again when it is back", async () => {
  const gate = await openGate(database.url);
  const behind = openControl({ url: gate.url });
  await behind.ping();
  await gate.shut();
  const away = { code: "store_unavailable", retryAfterS: expect.any(Number) };
  await expect(behind.ping()).rejects.toMatchObject(away);
  await expect(behind.findPrincipal("cs_api_x")).rejects.toMatchObject(away);
  await expect(behind.migrate()).rejects.toMatchObject(away);
  await expect(behind.writeJob("rating", 1n)).rejects.toMatchObject(away);
  await gate.open();
  await behind.ping();
  expect(await behind.findPrincipal("cs_api_x")).toBeNull();
  await behind.migrate();
  await behind.close();
  await gate.shut();
});
