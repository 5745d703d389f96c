/** The parts that both ways in share: who may send, how much is held at once, what becomes of a body, what is counted. */
import { CentspanError } from "@centspan/base";
import { type ByteBudget, createByteBudget } from "@centspan/service";
import type { FindOriginOptions } from "./find-origin.ts";
import { createGroupCommit } from "./group-commit.ts";
import { createJsonReader } from "./json-reader.ts";
import type { Spool } from "./spool/open-spool.ts";
import { createStats, type Stats } from "./stats.ts";
import { createTakeExport, type TakeExport } from "./take-export.ts";

export type Intake = {
  /** Of one body, decompressed. */
  maxBodyBytes: number;
  budget: ByteBudget;
  credentials: FindOriginOptions;
  /** Throws `store_unavailable` where a body would only be read to be refused. */
  requireRoom(): void;
  takeExport: TakeExport;
  stats: Stats;
  /** After the doors are: what is still being read is given up. */
  close(): Promise<void>;
};

type IntakeOptions = FindOriginOptions & {
  spool: Pick<Spool, "append" | "requireRoom">;
  maxBodyBytes?: number;
  maxHeldBytes?: number;
};

const MEBIBYTE = 1024 * 1024;

const refuse = (heldBytes: number): CentspanError =>
  new CentspanError("store_unavailable", `${heldBytes} bytes already wait to be written`, { retryAfterS: 1 });

export function createIntake({ spool, maxBodyBytes, maxHeldBytes, ...credentials }: IntakeOptions): Intake {
  const stats = createStats();
  const json = createJsonReader();
  return {
    maxBodyBytes: maxBodyBytes ?? 64 * MEBIBYTE,
    budget: createByteBudget(maxHeldBytes ?? 256 * MEBIBYTE, refuse),
    credentials,
    requireRoom: () => spool.requireRoom(),
    takeExport: createTakeExport(createGroupCommit(spool.append), json, stats),
    stats,
    close: json.close,
  };
}
