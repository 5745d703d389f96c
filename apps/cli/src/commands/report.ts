/** `centspan report`: a page for one's team and a card to share, of a workspace with imported histories. */
import { rmSync, writeFileSync } from "node:fs";
import { choosesRequests } from "@centspan/attribution";
import { CentspanError } from "@centspan/base";
import type { Command } from "commander";
import { readFigures } from "../local/read-figures.ts";
import { CARD_SIZE, PAGE_SIZE, type ReportFacts, renderCard, renderReport } from "../local/report-page.ts";
import { findChromium, takePicture } from "../local/take-picture.ts";
import { printWithWorkspace } from "../stores.ts";
import { LOCAL_WORKSPACE } from "./import-local.ts";

type ReportOptions = { data: string; workspace: string; out: string; names: boolean };

export function registerReport(program: Command, defaultData: string): void {
  program
    .command("report")
    .description("a one-page report and a share card of what agents cost and what was paid twice, as HTML and PNG")
    .option("--out <name>", "name of the files, without their ends", "centspan-report")
    .option("--names", "with names of pull requests and branches", false)
    .option("--workspace <id>", "workspace to report on", LOCAL_WORKSPACE)
    .option("--data <dir>", "data folder of the running stack", defaultData)
    .action((options: ReportOptions) =>
      printWithWorkspace(options, async (api) => {
        const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
        const figures = await readFigures(api, timeZone);
        const days = figures.byDay.map(({ group }) => group).sort();
        const [from, to] = [days[0], days.at(-1)];
        if (from === undefined || to === undefined)
          throw new CentspanError(
            "not_found",
            `workspace ${options.workspace} has no calls: import first, with \`centspan import local\``,
          );
        const requests = await api.costOfWork({ groupBy: "pullRequest" });
        const branches = await api.costOfWork({ groupBy: "branch" });
        const work = choosesRequests(requests.total, branches.total) ? requests : branches;
        return write(
          { figures, work, seats: (await api.seats()).data, from, to, withNames: options.names },
          options.out,
        );
      }),
    );
}

function write(facts: ReportFacts, out: string): string {
  const chromium = findChromium(process.env);
  const [page, card] = [`${out}.html`, `${out}-card.html`];
  writeFileSync(page, renderReport(facts));
  writeFileSync(card, renderCard(facts));
  const pictures =
    chromium === null
      ? []
      : [
          { page, picture: `${out}.png`, ...PAGE_SIZE },
          { page: card, picture: `${out}-card.png`, ...CARD_SIZE },
        ].flatMap((one) => (takePicture(chromium, one) ? [one.picture] : []));
  // The page of the card is of no use beside its picture.
  if (pictures.includes(`${out}-card.png`)) rmSync(card);
  const written = [page, ...(pictures.includes(`${out}-card.png`) ? [] : [card]), ...pictures];
  return [
    `Written: ${written.join(", ")}`,
    ...(chromium === null ? ["Pictures need a Chromium: install one, or set CHROMIUM_PATH."] : []),
    ...(facts.withNames ? [] : ["Without names of repositories, branches and requests; --names has them."]),
  ].join("\n");
}
