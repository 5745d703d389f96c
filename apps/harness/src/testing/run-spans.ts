/** Spans of a made-up run, for parts of the loop that are tested alone. */
import { createRunSpans, type RunSpans } from "../loop/identity.ts";
import type { SpanMemory } from "./span-memory.ts";

export const createTestSpans = (memory: SpanMemory): RunSpans =>
  createRunSpans(memory.telemetry.tracer, {
    runId: "run_test",
    threadId: "run_test",
    taskId: "test",
    taskType: "bug",
    taskTitle: "A test",
    repository: "acme/test",
    role: "execute",
    attempt: 1,
    harnessVersion: "0",
  });
