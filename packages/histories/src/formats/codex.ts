/**
 * Codex: `sessions/YYYY/MM/DD/rollout-<time>-<thread>.jsonl`, compressed ones with `.zst` beside or instead of the plain
 * one, archived ones flat in `archived_sessions/`. The same name is the same thread, wherever it lies.
 */
import { defineHistory } from "@centspan/model";
import { openCodexReader } from "../codex/read-lines.ts";

export default defineHistory({
  id: "codex",
  describe: "Codex's rollouts, of sessions and of the agents they called",
  agent: "Codex",
  places: [
    { variable: "CODEX_HOME", folder: "sessions" },
    { variable: "CODEX_HOME", folder: "archived_sessions" },
    { folder: ".codex/sessions" },
    { folder: ".codex/archived_sessions" },
  ],
  keptForDays: null,
  describeFile(path) {
    const [, name = "", zst] = /(?:^|\/)(rollout-[^/]+)\.jsonl(\.zst)?$/.exec(path) ?? [];
    if (name === "") return null;
    const compression = zst === undefined ? "none" : "zstd";
    // Names begin with the time, so that parents come before what was forked from them.
    return {
      identity: name,
      rank: (zst === undefined ? 0 : 2) + (path.includes("/") ? 0 : 1),
      compression,
      order: name,
    };
  },
  openReader: openCodexReader,
});
