/** A connection that breaks as a transaction begins is given back: a store with one connection goes on with another. */
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { ZERO } from "@centspan/base";
import { budgetInputSchema } from "@centspan/model";
import { expect, inject, it } from "vitest";
import { openControl } from "./index.ts";
import { createDatabase } from "./testing/create-database.ts";

it("gives back a connection that breaks as a transaction begins", async () => {
  expect(inject("databaseUrl")).toBeDefined();
  const database = await createDatabase();
  const target = new URL(database.url);
  let cuts = 0;
  const relay = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    const end = (): void => {
      near.destroy();
      far.destroy();
    };
    near.on("error", end).on("close", end);
    far.on("error", end).on("close", end);
    near.on("data", (part) => {
      if (cuts > 0 && part.includes("begin")) {
        cuts -= 1;
        end();
      } else far.write(part);
    });
    far.pipe(near);
  });
  await once(relay.listen(0, "127.0.0.1"), "listening");
  const address = relay.address();
  const url = new URL(database.url);
  url.host = `127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  const control = openControl({ url: url.href, maxConnections: 1 });
  await control.migrate();
  await control.ensureWorkspace("acme", { id: "prod", name: "prod" });
  const input = { name: "b", scope: "team", subject: "ci", period: "month", limitUsd: "10" };
  const { budgetId } = await control.createBudget("prod", budgetInputSchema.parse(input), "tests");
  const visit = { budgetId, subject: "ci", from: new Date(0), holder: "a", visit: 1, ttlMs: 1000 };
  const nothing = { spentUsd: ZERO, asideUsd: ZERO, wantedUsd: [], nextUsd: ZERO };
  cuts = 1;
  await expect(control.visitBudgetAccount({ ...visit, ...nothing })).rejects.toMatchObject({
    code: "store_unavailable",
  });
  expect(await control.visitBudgetAccount({ ...visit, ...nothing })).not.toBeNull();
  await control.close();
  relay.close();
  await database.drop();
});
