/** Every safety check. Add one: a file beside this one, an import and an entry here, in order of name. */
import type { SafetyCheck } from "@centspan/model";
import secrets from "./secrets.ts";

export const SAFETY_CHECKS: readonly SafetyCheck[] = [secrets];
