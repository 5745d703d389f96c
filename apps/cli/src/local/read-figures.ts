/** What the stores now say of an imported workspace: the same figures as the pages and the API, in one object. */
import type { ApiClient } from "@centspan/api";
import type { CostRow, WasteItemRow, WasteRow } from "@centspan/model";

const TOP = 5;

/** A cause with its dearest case. */
export type PaidTwice = { cause: string; title: string; remedy: string; sum: WasteRow; dearest: WasteItemRow | null };

export type LocalFigures = {
  total: Awaited<ReturnType<ApiClient["waste"]>>["total"];
  paidTwice: PaidTwice[];
  byModel: CostRow[];
  byRepository: CostRow[];
  byDay: CostRow[];
};

export async function readFigures(api: ApiClient, timeZone: string): Promise<LocalFigures> {
  const [waste, causes, byModel, byRepository, byDay] = await Promise.all([
    api.waste({ groupBy: "cause" }),
    api.wasteCauses(),
    api.cost({ groupBy: "model" }),
    api.cost({ groupBy: "repository" }),
    api.cost({ groupBy: "day", tz: timeZone }),
  ]);
  const top = waste.data.filter(({ kind, costUsd }) => kind === "repeated" && Number(costUsd) > 0).slice(0, TOP);
  const paidTwice = await Promise.all(
    top.map(async (sum): Promise<PaidTwice> => {
      const cause = causes.data.find((one) => one.cause === sum.group);
      const { data } = await api.wasteItems({ cause: sum.group, limit: "1" });
      return {
        cause: sum.group,
        title: cause?.title ?? sum.group,
        remedy: cause?.remedy ?? "",
        sum,
        dearest: data[0] ?? null,
      };
    }),
  );
  return {
    total: waste.total,
    paidTwice,
    byModel: byModel.data,
    byRepository: byRepository.data,
    byDay: byDay.data,
  };
}
