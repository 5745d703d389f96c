/**
 * Prints settings as an engine takes them. A knob is either a line, or what the engine can't do, in words: nothing is left out
 * in silence. One file each in packages/optimizer/src/exporters.
 */
export type SettingValue = string | number | boolean;

export type ExportContext = {
  /** As the engine knows it. */
  model: string;
  /** Tokens of one of our blocks. */
  blockTokens: number;
  /** That is set now: weights are of a router. */
  router: string;
};

/** Lines for the engine's configuration, or why there is none. */
export type ExportedKnob = readonly string[] | { cannot: string };

export type ConfigExporter = {
  id: string;
  describe: string;
  /** Of the knobs that it knows; each other one is said to be unknown to it. */
  knobs: Readonly<Record<string, (value: SettingValue, context: ExportContext) => ExportedKnob>>;
  /** The whole of it, from the lines of the knobs. */
  write(lines: readonly string[], context: ExportContext): string;
  /** What has to be known of applying it: restarts, caches that are empty afterwards. */
  notes: readonly string[];
};
export const defineConfigExporter = (exporter: ConfigExporter): ConfigExporter => exporter;
