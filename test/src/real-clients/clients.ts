/** The clients that agents are made of, as people run them, pointed at the gateway. */
import { join } from "node:path";
import { ROOT } from "../stack/processes.ts";

type Preparation = { command: string[]; env: Record<string, string>; files?: Record<string, string> };

export type Client = {
  name: string;
  /** Model calls of its task: two tools are called in turn, then it answers. */
  calls: number;
  /** Through a gateway whose upstream speaks Chat Completions alone. */
  isTranslated?: boolean;
  prepare(gateway: { gatewayUrl: string; key: string }): Preparation;
};

export type ClientReport = {
  name: string;
  code: number | null;
  output: string;
  calls: { sessionId: string; costStatus: string; costUsd: string | null; source: string }[];
  traces: { costUsd: string | null }[];
};

const FOLDER = join(ROOT, "test/real-clients");
const bin = (name: string): string => join(FOLDER, "node_modules/.bin", name);
const MODEL = "scripted-tools";
const PROMPT = "Say hello, then run two commands.";

const codex = (name: string, webSockets: boolean): Client => ({
  name,
  calls: 3,
  prepare: ({ gatewayUrl, key }) => ({
    command: [bin("codex"), "exec", "--skip-git-repo-check", PROMPT],
    env: { CENTSPAN_KEY: key },
    files: {
      ".codex/config.toml": `model = "${MODEL}"
model_provider = "centspan"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.centspan]
name = "centspan"
base_url = "${gatewayUrl}/v1"
env_key = "CENTSPAN_KEY"
wire_api = "responses"
supports_websockets = ${webSockets}
`,
    },
  }),
});

const claudeCode = (name: string): Client => ({
  name,
  calls: 3,
  prepare: ({ gatewayUrl, key }) => ({
    command: [
      ...[process.execPath, join(FOLDER, "node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs")],
      ...["-p", PROMPT, "--model", MODEL, "--allowedTools", "Bash"],
    ],
    env: {
      ANTHROPIC_BASE_URL: gatewayUrl,
      ANTHROPIC_API_KEY: key,
      DISABLE_TELEMETRY: "1",
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    },
  }),
});

const sdk = (name: string, calls: number, script = name): Client => ({
  name,
  calls,
  prepare: ({ gatewayUrl, key }) => ({
    command: [process.execPath, join(FOLDER, `${script}.mjs`)],
    env: {
      OPENAI_BASE_URL: `${gatewayUrl}/v1`,
      OPENAI_API_KEY: key,
      ANTHROPIC_BASE_URL: gatewayUrl,
      ANTHROPIC_API_KEY: key,
      SESSION: `${name}-session`,
    },
  }),
});

export const CLIENTS: readonly Client[] = [
  codex("codex-web-socket", true),
  codex("codex-sse", false),
  claudeCode("claude-code"),
  { ...claudeCode("claude-code-translated"), isTranslated: true },
  { ...codex("codex-translated", true), isTranslated: true },
  sdk("openai-sdk", 6),
  sdk("anthropic-sdk", 6),
  { ...sdk("anthropic-sdk-translated", 6, "anthropic-sdk"), isTranslated: true },
  sdk("ai-sdk", 6),
  sdk("agents-sdk", 3),
];
