/** The parts that both ways in share: who may send, how much is held at once, what becomes of a body, what is counted. */
import type { ByteBudget } from "./byte-budget.ts";
import { createByteBudget } from "./byte-budget.ts";
import type { FindWorkspaceOptions } from "./find-workspace.ts";
import { createGroupCommit } from "./group-commit.ts";
import type { Spool } from "./spool/open-spool.ts";
import { createStats, type Stats } from "./stats.ts";
import { createTakeExport, type TakeExport } from "./take-export.ts";

export type Intake = {
  /** Of one body, decompressed. */
  maxBodyBytes: number;
  budget: ByteBudget;
  credentials: FindWorkspaceOptions;
  /** Throws `store_unavailable` where a body would only be read to be refused. */
  requireRoom(): void;
  takeExport: TakeExport;
  stats: Stats;
};

type IntakeOptions = FindWorkspaceOptions & {
  spool: Pick<Spool, "append" | "requireRoom">;
  maxBodyBytes?: number;
  maxHeldBytes?: number;
};

const MEBIBYTE = 1024 * 1024;

export function createIntake({ spool, maxBodyBytes, maxHeldBytes, ...credentials }: IntakeOptions): Intake {
  const stats = createStats();
  return {
    maxBodyBytes: maxBodyBytes ?? 64 * MEBIBYTE,
    budget: createByteBudget(maxHeldBytes ?? 256 * MEBIBYTE),
    credentials,
    requireRoom: () => spool.requireRoom(),
    takeExport: createTakeExport(createGroupCommit(spool.append), stats),
    stats,
  };
}
