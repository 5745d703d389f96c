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
  /** Leaves a history on the disk, which must come to what the gateway counted. */
  leavesHistory?: boolean;
  /** A later command goes on with the conversation of the first, and may do so in a session of its own. */
  sessions?: number;
  prepare(gateway: { gatewayUrl: string; key: string }): Preparation;
};

export type ClientReport = {
  name: string;
  code: number | null;
  output: string;
  calls: { sessionId: string; costStatus: string; costUsd: string | null; source: string }[];
  traces: { costUsd: string | null }[];
  /** Tokens of each call, by meter, in order: as the gateway counted them, and as its history on the disk has them. */
  counted: number[][];
  imported: number[][];
  /** Lines of it that could not be read. */
  problems: unknown[];
};

/** Of calls, meter by meter. */
export const sumTokens = (calls: readonly number[][]): number[] =>
  calls.reduce((sums, call) => call.map((tokens, meter) => tokens + (sums[meter] ?? 0)), []);

const FOLDER = join(ROOT, "test/real-clients");
const bin = (name: string): string => join(FOLDER, "node_modules/.bin", name);
const MODEL = "scripted-tools";
const PROMPT = "Say hello, then run two commands.";

/** One command after the other, as one. */
const inTurn = (...commands: string[][]): string[] => [
  "sh",
  "-c",
  commands.map((words) => words.map((word) => `'${word}'`).join(" ")).join(" && "),
];

const codex = (name: string, webSockets: boolean, isResumed = false): Client => ({
  name,
  calls: isResumed ? 4 : 3,
  leavesHistory: true,
  prepare: ({ gatewayUrl, key }) => ({
    command: isResumed
      ? inTurn(
          [bin("codex"), "exec", "--skip-git-repo-check", PROMPT],
          [bin("codex"), "exec", "--skip-git-repo-check", "resume", "--last", PROMPT],
        )
      : [bin("codex"), "exec", "--skip-git-repo-check", PROMPT],
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

/** `goesOn` are options of a second run, which goes on with the conversation of the first. */
const claudeCode = (name: string, goesOn: string[] | null = null): Client => ({
  name,
  calls: goesOn === null ? 3 : 4,
  leavesHistory: true,
  prepare: ({ gatewayUrl, key }) => {
    const program = [process.execPath, join(FOLDER, "node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs")];
    const options = ["-p", PROMPT, "--model", MODEL, "--allowedTools", "Bash"];
    return {
      command:
        goesOn === null
          ? [...program, ...options]
          : inTurn([...program, ...options], [...program, ...options, ...goesOn]),
      env: {
        ANTHROPIC_BASE_URL: gatewayUrl,
        ANTHROPIC_API_KEY: key,
        DISABLE_TELEMETRY: "1",
        DISABLE_AUTOUPDATER: "1",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      },
    };
  },
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
  claudeCode("claude-code-resumed", ["--continue"]),
  { ...claudeCode("claude-code-forked", ["--continue", "--fork-session"]), sessions: 2 },
  codex("codex-resumed", true, true),
  { ...claudeCode("claude-code-translated"), isTranslated: true },
  { ...codex("codex-translated", true), isTranslated: true },
  sdk("openai-sdk", 6),
  sdk("anthropic-sdk", 6),
  { ...sdk("anthropic-sdk-translated", 6, "anthropic-sdk"), isTranslated: true },
  sdk("ai-sdk", 6),
  sdk("agents-sdk", 3),
];
