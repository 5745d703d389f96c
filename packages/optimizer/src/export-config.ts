/** Changes as an engine's configuration, to apply and to undo; what the engine can't do is named. */
import { CentspanError } from "@centspan/base";
import type { ConfigExporter, ExportContext, SettingValue } from "@centspan/model";
import { configExporters } from "./registry.gen.ts";
import type { Change } from "./settings/space.ts";

export type ExportedConfig = { engine: string; text: string; undo: string; cannot: string[]; notes: readonly string[] };

export function findExporter(id: string): ConfigExporter {
  const found = configExporters.find((exporter) => exporter.id === id);
  if (found) return found;
  const known = configExporters.map((exporter) => exporter.id).join(", ");
  throw new CentspanError("not_found", `no exporter ${JSON.stringify(id)}; known: ${known}`, { field: "engine" });
}

export function exportConfig(
  exporter: ConfigExporter,
  changes: readonly Change[],
  context: ExportContext,
): ExportedConfig {
  const cannot: string[] = [];
  const linesOf = (read: (change: Change) => SettingValue, isTold: boolean): string[] =>
    changes.flatMap((change) => {
      const exported = exporter.knobs[change.knob]?.(read(change), context) ?? {
        cannot: `${change.knob}: ${exporter.describe} has no such setting`,
      };
      if (!("cannot" in exported)) return exported;
      if (isTold) cannot.push(exported.cannot);
      return [];
    });
  const [apply, undo] = [linesOf(({ to }) => to, true), linesOf(({ from }) => from, false)];
  // Nothing that it can do: no command that looks as if it did.
  const write = (lines: readonly string[]): string => (apply.length === 0 ? "" : exporter.write(lines, context));
  return { engine: exporter.id, text: write(apply), undo: write(undo), cannot, notes: exporter.notes };
}

/** By every engine there is. */
export const exportEverywhere = (changes: readonly Change[], context: ExportContext): ExportedConfig[] =>
  configExporters.map((exporter) => exportConfig(exporter, changes, context));
