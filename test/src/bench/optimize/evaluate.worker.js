/** The thread that simulates settings for `bench optimize`. JavaScript, so that a thread can start from it. */
import { workerData } from "node:worker_threads";
import { register } from "tsx/esm/api";

register();
const { answerTasks } = await import("@centspan/service/threads");
const { createEvaluator } = await import("@centspan/optimizer");
answerTasks(createEvaluator(workerData));
