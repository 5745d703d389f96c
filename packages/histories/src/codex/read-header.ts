/** Whose thread a rollout is: its first `session_meta`. Further ones come with the parent's history and say nothing of it. */
import type { HistoryMemory } from "@centspan/model";
import { isObject, type JsonObject, numberAt, objectAt, textAt } from "../json-values.ts";
import type { CodexState } from "./state.ts";

export function readHeader(state: CodexState, meta: JsonObject, fallbackId: string, memory: HistoryMemory): void {
  const id = textAt(meta, "id") || fallbackId;
  const spawn = objectAt(objectAt(objectAt(meta, "source"), "subagent"), "thread_spawn");
  const forkedFrom = textAt(meta, "forked_from_id");
  const caller = textAt(meta, "parent_thread_id") || textAt(spawn, "parent_thread_id");
  const parent = caller || forkedFrom;
  const said = textAt(meta, "session_id");
  const sessionOfCaller = caller === "" ? id : (memory.get(`session:${caller}`) ?? caller);
  const sessionId = said !== "" && said !== id ? said : sessionOfCaller;
  const isAgent =
    caller !== "" || isObject(objectAt(meta, "source").subagent) || objectAt(meta, "source").subagent !== undefined;
  state.thread = {
    sessionId,
    rootSessionId: parent === "" ? sessionId : (memory.get(`root:${parent}`) ?? parent),
    threadId: id,
    agentId: isAgent ? id : "",
    agentName: textAt(meta, "agent_role") || textAt(spawn, "agent_role"),
    parentThreadId: parent,
    isFork: forkedFrom !== "",
    parentToolCallId: "",
  };
  memory.set(`session:${id}`, sessionId);
  memory.set(`root:${id}`, state.thread.rootSessionId);
  memory.set(`thread:${id}`, "");
  state.isInPrefix = parent !== "";
  state.boundary =
    numberAt(meta, "subagent_history_start_ordinal") ??
    numberAt(objectAt(meta, "history_base"), "end_ordinal_exclusive") ??
    0;
  state.provider = textAt(meta, "model_provider") || "openai";
  const git = objectAt(meta, "git");
  state.context = {
    cwd: textAt(meta, "cwd"),
    repositoryUrl: textAt(git, "repository_url"),
    branch: textAt(git, "branch"),
    commit: textAt(git, "commit_hash"),
    version: textAt(meta, "cli_version"),
    entrypoint: textAt(meta, "originator"),
  };
}

export function readTurnContext(state: CodexState, said: JsonObject): void {
  const turnId = textAt(said, "turn_id");
  if (turnId !== "") state.turnId = turnId;
  const settings = objectAt(objectAt(said, "collaboration_mode"), "settings");
  state.model = textAt(said, "model") || state.model;
  state.effort = textAt(said, "effort") || textAt(settings, "reasoning_effort");
  const cwd = textAt(said, "cwd");
  if (cwd !== "" && cwd !== state.context.cwd) state.context = { ...state.context, cwd };
}
