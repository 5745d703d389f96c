/** Reference documents made from the code itself, so that nothing is undocumented. */
import type { ROUTES } from "@centspan/api";
import type { Command } from "commander";

const row = (...cells: string[]): string => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;

export function describeRoutes(routes: typeof ROUTES): string {
  return [
    "# Trace API",
    "",
    "Generated from the route table of `packages/api` by `npm run generate`; don't edit. Full schemas: `GET /api/v1/openapi.json`.",
    "",
    "Every route takes `Authorization: Bearer <key>`; an org-wide API key may add `workspace=<id>`. Money and 64-bit integers are",
    "strings, times ISO 8601. Lists are `{data, nextCursor}`: repeat with `cursor=<nextCursor>` until it is null. Errors are RFC 9457",
    "problem details with a stable `code`, the `field` at fault and a `remedy`.",
    "",
    "Filters such as `team`, `model`, `task`, `from` and `to` narrow what a route answers, and both cost routes need a `groupBy`:",
    "",
    "```sh",
    'curl -sS "http://127.0.0.1:3000/api/v1/outcomes/cost?groupBy=team&from=2026-01-01T00:00:00Z" -H "Authorization: Bearer $CENTSPAN_API_KEY"',
    "```",
    "",
    row("route", "needs", "does"),
    row("---", "---", "---"),
    row("`GET /api/v1/health`", "none", "Whether the stores answer and how far rating has come"),
    row("`GET /api/v1/openapi.json`", "none", "The OpenAPI 3.1 document"),
    ...routes.map((route) =>
      row(
        `\`${route.method} /api/v1${route.path}\``,
        route.needs ?? (route.hasToken ? "the link" : "any key"),
        route.summary,
      ),
    ),
    "",
  ].join("\n");
}

export function describeCli(program: Command): string {
  const lines = [
    "# The centspan command",
    "",
    "Generated from `apps/cli` by `npm run generate`; don't edit. Run as `npx centspan …` in the repository.",
    "",
  ];
  for (const command of listCommands(program)) {
    const usage = [
      fullName(command),
      ...command.registeredArguments.map((argument) =>
        argument.variadic ? `<${argument.name()}...>` : `<${argument.name()}>`,
      ),
    ];
    lines.push(`## \`${usage.join(" ")}\``, "", command.description(), "");
    if (command.options.length === 0) continue;
    lines.push(row("option", "default", "meaning"), row("---", "---", "---"));
    for (const option of command.options) {
      const choices = option.argChoices === undefined ? "" : ` (${option.argChoices.join(", ")})`;
      const preset =
        option.defaultValue === undefined || option.defaultValue === false ? "" : `\`${option.defaultValue}\``;
      lines.push(row(`\`${option.flags}\``, preset, `${option.description}${choices}`));
    }
    lines.push("");
  }
  return lines.join("\n");
}

/** Leaves of the command tree, in order. */
export function listCommands(program: Command): Command[] {
  return program.commands.flatMap((command) => (command.commands.length === 0 ? [command] : listCommands(command)));
}

export function fullName(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) names.unshift(at.name());
  return names.join(" ");
}
