/** A study that the worker of the stack works on, waited for with its progress. Ctrl-C gives it up. */
import type { ApiClient } from "@centspan/api";
import { CentspanError } from "@centspan/base";
import { isStudyOver, type Study, type StudyInput } from "@centspan/model";
import { createProgress } from "../progress.ts";

/** Of one look; the API answers earlier where the study is over. */
const WAIT_S = "1";

export async function awaitStudy(api: ApiClient, asked: StudyInput): Promise<Study> {
  const progress = createProgress(process.stderr);
  const { id } = await api.startStudy(asked);
  const interrupt = (): void => {
    progress.step("giving it up");
    // Where it is over already, its end is what is shown.
    api.cancelStudy(id).catch(() => undefined);
  };
  process.once("SIGINT", interrupt);
  try {
    for (;;) {
      const study = await api.study(id, { waitS: WAIT_S });
      progress.step(study.progress === "" ? "waiting for a worker" : study.progress);
      if (!isStudyOver(study.state)) continue;
      progress.done(`${study.state}: ${study.progress}`);
      if (study.result !== null) return study;
      throw new CentspanError("conflict", `the study ${id} was ${study.state}: ${study.progress}`);
    }
  } finally {
    process.removeListener("SIGINT", interrupt);
  }
}
