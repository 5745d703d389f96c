/**
 * What a run may do without asking. A list names what of its kind is approved beforehand; of a kind without a list that is
 * everything, unless the mode is on-request. How the rest is decided is the mode: never asks nobody and refuses it,
 * on-request and on-failure ask a person; on-failure besides offers to run a program that failed in its sandbox outside.
 * Reading is always free: it can't leave the working copy.
 */
import { readFile } from "node:fs/promises";
import { CentspanError } from "@centspan/base";
import picomatch from "picomatch";
import { z } from "zod";
import { errorCode } from "../sandbox/file-error.ts";

export const APPROVAL_MODES = ["never", "on-request", "on-failure"] as const;
const modeSchema = z.enum(APPROVAL_MODES);

export const policySchema = z.strictObject({
  ask: modeSchema,
  /** Command lines word by word; `*` is any one word, at the end any rest: `npm test`, `git diff *`. */
  commands: z.array(z.string().min(1)).optional(),
  /** Files that may be changed, as glob patterns relative to the package: `src/**`. */
  paths: z.array(z.string().min(1)).optional(),
  /** Other tools by name, such as those of MCP servers. */
  tools: z.array(z.string().min(1)).optional(),
});
export type ApprovalPolicy = z.infer<typeof policySchema>;

/** What a call would touch: one of a command line, a real path relative to the package, or the tool alone. */
export type ApprovalSubject = { kind: "command" | "path" | "tool"; text: string };

/** A mode by its name, or a JSON file. */
export async function readPolicy(source: string): Promise<ApprovalPolicy> {
  const mode = modeSchema.safeParse(source);
  if (mode.success) return { ask: mode.data };
  const refuse = (why: string, cause?: unknown) =>
    new CentspanError("invalid_file", `policy ${source}: ${why}`, { field: "policy", cause });
  try {
    return policySchema.parse(JSON.parse(await readFile(source, "utf8")));
  } catch (error) {
    if (error instanceof z.ZodError) {
      throw refuse(
        error.issues.map((issue) => `${issue.path.join(".") || "file"}: ${issue.message}`).join("; "),
        error,
      );
    }
    const modes = APPROVAL_MODES.join(", ");
    throw refuse(errorCode(error) === "ENOENT" ? `is neither a file nor one of ${modes}` : String(error), error);
  }
}

export function isApproved(policy: ApprovalPolicy, subject: ApprovalSubject): boolean {
  const { ask, commands, paths, tools } = policy;
  const list = { command: commands, path: paths, tool: tools }[subject.kind];
  if (list === undefined) return ask !== "on-request";
  if (subject.kind === "command") return list.some((pattern) => matchesCommand(pattern, subject.text));
  if (subject.kind === "path") return picomatch(list, { dot: true })(subject.text);
  return list.includes(subject.text);
}

/** Anything by which a shell would do more than run the one program with the words as they stand. */
const SHELL_SYNTAX = /[;&|<>$`(){}[\]\\'"*?~#!\n\r%]|^\s*[^\s-][^\s]*=/;

function matchesCommand(pattern: string, command: string): boolean {
  if (SHELL_SYNTAX.test(command)) return false;
  const wanted = pattern.trim().split(/\s+/);
  const words = command.trim().split(/\s+/);
  const isOpen = wanted.at(-1) === "*";
  if (isOpen ? words.length < wanted.length - 1 : words.length !== wanted.length) return false;
  return wanted.every((word, index) => word === "*" || word === words[index]);
}
