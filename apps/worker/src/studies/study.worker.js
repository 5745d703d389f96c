/** The thread that simulates settings for studies. JavaScript, so that a thread can start with and without a bundle. */
import { workerData } from "node:worker_threads";
import { createStudyThread } from "@centspan/optimizer";
import { answerTasks } from "@centspan/service/threads";

answerTasks(createStudyThread(workerData));
