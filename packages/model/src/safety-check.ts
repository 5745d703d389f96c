/** A safety check: reads a prompt's newest text and gives a verdict. `hold` checks delay output until they are done. */
export type SafetyVerdict = { allowed: boolean; reason: string };
export type SafetyCheck = {
  id: string;
  describe: string;
  check(newText: string): Promise<SafetyVerdict>;
};
export const defineSafetyCheck = (check: SafetyCheck): SafetyCheck => check;
