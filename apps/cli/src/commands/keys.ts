/** `centspan keys`: list, create and revoke keys of a workspace. */
import { readFileSync } from "node:fs";
import { CentspanError } from "@centspan/base";
import { KEY_KINDS, type KeyRules, keyInputSchema, keyRulesSchema, PERMISSIONS_OF_KIND } from "@centspan/model";
import { type Command, Option } from "commander";
import { formatTable } from "../report.ts";
import { ACTOR, printWithStores } from "../stores.ts";
import { addWorkspaceOptions } from "./workspace-options.ts";

type KeyOptions = { data: string; workspace: string };

const RULES_HELP = "rules as JSON, or @FILE";
const RULES_EXAMPLE = `
Rules, all of them optional:
  models             patterns of the models it may ask for: ["gpt-*"]
  requestsPerMinute, tokensPerMinute
  maxOutputTokens    of one answer
  priority           interactive or batch
  safety             beside or hold
  onDisconnect       cancel or drain
  routes             another model or effort by role or task type:
                     [{"role": "execute", "model": "small"}, {"taskType": "typo", "effort": "low"}]
  content            true: prompts and answers are recorded, recognised secrets are not; of an ingest key, that
                     histories may come with them
  egress             hosts that tools may reach through the gateway, none unless named:
                     {"hosts": ["api.example.com", "*.example.org", "10.0.0.5:8080"]}
                     with "secrets", put into requests in place of placeholders:
                     [{"placeholder": "TOOL_KEY", "variable": "EGRESS_TOOL_KEY", "hosts": ["api.example.com"]}]

They count within ten seconds.`;

function readRules(text: string): KeyRules {
  let json: unknown;
  try {
    json = JSON.parse(text.startsWith("@") ? readFileSync(text.slice(1), "utf8") : text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CentspanError("invalid_request", `rules: can't be read: ${why}`, { field: "rules", cause });
  }
  const parsed = keyRulesSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = ["rules", ...(issue?.path.map(String) ?? [])].join(".");
  throw new CentspanError("invalid_request", `${field}: ${issue?.message}`, { field });
}

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
        key.scopes?.join(" ") ?? "–",
        key.team ?? "–",
        `…${key.hint}`,
        key.revokedAt === null ? "live" : `revoked ${key.revokedAt.toISOString().slice(0, 10)}`,
      ]);
      return formatTable([["id", "name", "kind", "scopes", "team", "ends in", "state"], ...rows]);
    }),
  );

  add("create", "make a key; its secret is shown once")
    .argument("<name>", "lower-case letters, digits, dots, dashes")
    .addOption(new Option("--kind <kind>", "what it may do").choices(KEY_KINDS).default("gateway"))
    .option("--team <id>", "team that pays; made if it is new")
    .addOption(
      new Option("--scopes <permission...>", "of an api key: what it may do, in place of all").choices([
        ...PERMISSIONS_OF_KIND.api,
      ]),
    )
    .option("--rules <json>", RULES_HELP)
    .action((name: string, options: KeyOptions & { kind: string; team?: string; scopes?: string[]; rules?: string }) =>
      printWithStores(options.data, async ({ control }) => {
        const input = keyInputSchema.safeParse({
          name,
          kind: options.kind,
          team: options.team,
          scopes: options.scopes,
        });
        if (!input.success) {
          const [issue] = input.error.issues;
          throw new CentspanError("invalid_request", `${issue?.path.join(".")}: ${issue?.message}`);
        }
        const { team, kind, scopes = null } = input.data;
        const rules = readRules(options.rules ?? "{}");
        const key = { workspace: options.workspace, name, kind, scopes, team: team ?? null, rules };
        return (await control.createKey(key, ACTOR)).secret;
      }),
    );

  add("rules", "show what a key may do, or set it with --set")
    .argument("<keyId>", "id from `centspan keys list`")
    .option("--set <json>", `${RULES_HELP}; in place of those it has`)
    .addHelpText("after", RULES_EXAMPLE)
    .action((keyId: string, options: KeyOptions & { set?: string }) =>
      printWithStores(options.data, async ({ control }) => {
        const { workspace } = options;
        if (options.set !== undefined) await control.setKeyRules(workspace, keyId, readRules(options.set), ACTOR);
        const key = (await control.listKeys(workspace)).find((candidate) => candidate.keyId === keyId);
        if (key === undefined) throw new CentspanError("not_found", `There is no key ${keyId} in this workspace.`);
        const rules = JSON.stringify(key.rules, null, 2);
        return rules === "{}" ? `${key.name}: no rules, every model is allowed and no other host` : rules;
      }),
    );

  add("webhook", "what a code host needs to deliver outcomes in the name of an ingest key")
    .argument("<keyId>", "id from `centspan keys list`")
    .action((keyId: string, options: KeyOptions) =>
      printWithStores(options.data, async ({ control }) => {
        const signer = await control.findSigner(keyId);
        if (signer?.principal.workspace !== options.workspace || signer.principal.kind !== "ingest")
          throw new CentspanError("not_found", `There is no live ingest key ${keyId} in this workspace.`);
        return formatTable([
          ["GitHub, payload URL", `/api/v1/outcomes/github?key=${keyId}`],
          ["GitLab, URL", `/api/v1/outcomes/gitlab?key=${keyId}`],
          ["secret, or secret token", signer.webhookSecret],
        ]);
      }),
    );

  add("revoke", "stop a key for good")
    .argument("<keyId>", "id from `centspan keys list`")
    .action((keyId: string, options: KeyOptions) =>
      printWithStores(options.data, async ({ control }) => {
        await control.revokeKey(options.workspace, keyId, ACTOR);
        return `${keyId} is revoked; it stops working within ten seconds`;
      }),
    );
}
