/** A safety check: reads a prompt's newest text and gives a verdict. `hold` checks delay output until they are done. */
export type SafetyVerdict = {
  allowed: boolean;
  reason: string;
  /** Allowed without having been read, because whoever reads it is away: it is new again next time. */
  unread?: boolean;
};
export type SafetyCheck = {
  id: string;
  describe: string;
  check(newText: string): Promise<SafetyVerdict>;
};
export const defineSafetyCheck = (check: SafetyCheck): SafetyCheck => check;

/** Where a check comes from: one file each. */
export type SafetyPlugin = Pick<SafetyCheck, "id" | "describe"> & {
  /** The check by these settings; null where they leave it off. Throws for settings that are wrong. */
  open(settings: Readonly<Record<string, string | undefined>>): SafetyCheck["check"] | null;
};
export const defineSafetyPlugin = (plugin: SafetyPlugin): SafetyPlugin => plugin;

/** The checks that these settings ask for. */
export const openSafetyChecks = (
  plugins: readonly SafetyPlugin[],
  settings: Readonly<Record<string, string | undefined>>,
): SafetyCheck[] =>
  plugins.flatMap(({ id, describe, open }) => {
    const check = open(settings);
    return check === null ? [] : [{ id, describe, check }];
  });
