/** A unit of work that a lead hands to a sub-agent: small enough to be checked by itself. */
import { z } from "zod";

export const MAX_UNITS = 6;

export const unitSchema = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
    .max(40)
    .describe("Short name in kebab-case."),
  goal: z.string().min(1).describe("What to do, with everything needed to understand it."),
  constraints: z.array(z.string()).default([]).describe("What to keep to."),
  paths: z.array(z.string().min(1)).min(1).describe('Files that may be changed, as glob patterns: "src/parse*.js".'),
  conditions: z
    .array(z.string().min(1))
    .min(1)
    .describe("What has to hold for the unit to be done, checkable by others."),
  check: z.string().optional().describe("Command that must exit with 0 once the unit is done."),
  maxTurns: z.int().min(1).max(100).default(20).describe("Turns it may take."),
});
export type Unit = z.infer<typeof unitSchema>;

export type UnitResult = {
  id: string;
  /** `done` is verified and part of the lead's copy now; everything else left nothing there. */
  status: "done" | "not_verified" | "check_failed" | "conflict" | "stopped";
  summary: string;
  /** What the verifier, the check or the merge found. */
  findings: string[];
  changed: string[];
};
