/** `centspan keys`: list, create and revoke keys of a workspace. */

import { CentspanError } from "@centspan/base";
import { keyInputSchema } from "@centspan/model";
import { type Command, Option } from "commander";
import { formatTable } from "../report.ts";
import { printWithStores } from "../stores.ts";
import { addWorkspaceOptions } from "./workspace-options.ts";

type KeyOptions = { data: string; workspace: string };

export function registerKeys(program: Command, defaultData: string): void {
  const command = program.command("keys").description("keys of a workspace");
  const add = (name: string, description: string): Command =>
    addWorkspaceOptions(command.command(name).description(description), defaultData);

  add("list", "keys without their secrets").action((options: KeyOptions) =>
    printWithStores(options.data, async ({ control }) => {
      const keys = await control.listKeys(options.workspace);
      const rows = keys.map((key) => [
        key.keyId,
        key.name,
        key.kind,
        key.team ?? "–",
        `…${key.hint}`,
        key.revokedAt === null ? "live" : `revoked ${key.revokedAt.toISOString().slice(0, 10)}`,
      ]);
      return formatTable([["id", "name", "kind", "team", "ends in", "state"], ...rows]);
    }),
  );

  add("create", "make a key; its secret is shown once")
    .argument("<name>", "lower-case letters, digits, dots, dashes")
    .addOption(new Option("--kind <kind>", "what it may do").choices(["gateway", "ingest", "api"]).default("gateway"))
    .option("--team <id>", "team that pays; made if it is new")
    .action((name: string, options: KeyOptions & { kind: string; team?: string }) =>
      printWithStores(options.data, async ({ control }) => {
        const input = keyInputSchema.safeParse({ name, kind: options.kind, team: options.team });
        if (!input.success) throw new CentspanError("invalid_request", `name: ${input.error.issues[0]?.message}`);
        const { team, kind } = input.data;
        return (await control.createKey({ workspace: options.workspace, name, kind, team: team ?? null })).secret;
      }),
    );

  add("revoke", "stop a key for good")
    .argument("<keyId>", "id from `centspan keys list`")
    .action((keyId: string, options: KeyOptions) =>
      printWithStores(options.data, async ({ control }) => {
        await control.revokeKey(options.workspace, keyId);
        return `${keyId} is revoked; it stops working within ten seconds`;
      }),
    );
}
