/**
 * Claude Code: `projects/<folder>/<session>.jsonl`, agents in `<session>/subagents/agent-<id>.jsonl` with a `.meta.json`
 * beside it (older releases: `agent-<id>.jsonl` beside the session, or among its lines).
 */
import { defineHistory } from "@centspan/model";
import { openClaudeReader } from "../claude-code/read-lines.ts";

export default defineHistory({
  id: "claude-code",
  describe: "Claude Code's sessions and those of its agents",
  agent: "Claude Code",
  places: [
    { variable: "CLAUDE_CONFIG_DIR", folder: "projects", separator: "," },
    { folder: ".claude/projects" },
    { folder: ".config/claude/projects" },
  ],
  keptForDays: 30,
  keptForSetting: { file: "../settings.json", member: "cleanupPeriodDays" },
  describeFile(path) {
    if (!path.endsWith(".jsonl") || !path.includes("/")) return null;
    const isAgent = /(^|\/)agent-[^/]+\.jsonl$/.test(path);
    return {
      identity: path,
      rank: 0,
      compression: "none",
      // Names are random: which of two files with the same lines was first only their times tell.
      order: isAgent ? "2 agents" : "1 sessions",
      ...(isAgent && { companion: path.replace(/\.jsonl$/, ".meta.json") }),
    };
  },
  openReader: openClaudeReader,
});
