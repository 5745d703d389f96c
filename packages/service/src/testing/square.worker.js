/** For the test of threads: squares numbers, and fails at odd ones over a hundred. */
import { register } from "tsx/esm/api";

register();
const { answerTasks } = await import("../threads.ts");
answerTasks((number) => {
  if (number > 100 && number % 2 === 1) throw new Error(`${number} is odd`);
  return number * number;
});
