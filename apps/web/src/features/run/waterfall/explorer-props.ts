/** What the server says of a run, for those who draw it in the browser. */
import type { Language } from "@centspan/ui";
import type { Anomaly } from "./oddities.tsx";

export type ExplorerProps = {
  /** The run's own address, with the workspace it is of. */
  run: string;
  traceId: string;
  title: string;
  language: Language;
  params: Readonly<Record<string, string>>;
  spans: number;
  calls: number;
  heightPx: number;
  anomalies: readonly Anomaly[];
  total: { calls: string; cost: string; repeated: string };
};
