/**
 * A person beside a run: lines that come in are the answer to the question that waits, or else words to the agent, which
 * it is told before its next turn.
 */
import { createInterface } from "node:readline";
import type { AskPerson, Question } from "../approval/gate.ts";

export type Attendant = { ask: NonNullable<AskPerson>; takeSteering(): readonly string[]; close(): void };

const YES = /^y(es)?$/i;

export function openAttendant(input: NodeJS.ReadableStream, tell: (question: Question) => void): Attendant {
  const lines = createInterface({ input });
  const questions: { question: Question; answer(allowed: boolean): void }[] = [];
  let steering: string[] = [];
  let isGone = false;
  lines.on("line", (line) => {
    const text = line.trim();
    const waiting = questions.shift();
    if (waiting === undefined) {
      if (text !== "") steering.push(text);
      return;
    }
    waiting.answer(YES.test(text));
    if (questions[0] !== undefined) tell(questions[0].question);
  });
  lines.once("close", () => {
    isGone = true;
    for (const { answer } of questions.splice(0)) answer(false);
  });
  return {
    ask: (question, signal) =>
      new Promise((resolve, reject) => {
        if (isGone) return resolve(false);
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        questions.push({ question, answer: resolve });
        // One at a time: a line could not say which it answers.
        if (questions.length === 1) tell(question);
      }),
    takeSteering() {
      const taken = steering;
      steering = [];
      return taken;
    },
    close: () => lines.close(),
  };
}
