/**
 * When there is something to tell of a budget, and telling it. An alert is written down before it is told, once for all
 * gateways, and told again where who was to tell it is gone; a channel that is away is tried again for a day.
 */
import { countToDecimal, type Decimal, formatDecimal, parseDecimal } from "@centspan/base";
import {
  type AlertChannel,
  type Budget,
  type BudgetAccountId,
  type BudgetAccounts,
  type BudgetPeriod,
  type BudgetState,
  type DueBudgetAlert,
  projectSpend,
} from "@centspan/model";
import { type Channel, FORECAST } from "./channel.ts";

export type Channels = Partial<Record<AlertChannel, Channel>>;

type About = { budget: Budget; id: BudgetAccountId; period: BudgetPeriod; nowMs: number };

export type Alerts = {
  /** Looks whether what is known of an account now is to be told; returns at once. */
  consider(about: About, state: BudgetState): void;
  close(): Promise<void>;
};

export type AlertOptions = {
  channels: Channels;
  store: Pick<BudgetAccounts, "raiseBudgetAlerts" | "claimBudgetAlerts" | "closeBudgetAlert">;
  /** Where a failure to tell goes. */
  report(thrown: unknown): void;
  /** How often is looked for what others left untold. */
  everyMs?: number;
};

/** Longer than a channel takes: nobody else tells it meanwhile. */
const CLAIM_MS = 60_000;
const EVERY_MS = 30_000;
/** Accounts whose alerts are remembered, so that the store need not be asked. */
const MOST_REMEMBERED = 10_000;

export function openAlerts({ channels, store, report, everyMs = EVERY_MS }: AlertOptions): Alerts {
  const raised = new Set<string>();
  let running = Promise.resolve();

  const then = (work: () => Promise<void>): void => {
    running = running.then(work).catch(report);
  };
  const tellDue = async (): Promise<void> => {
    const ways = entriesOf(channels).map(([channel]) => channel);
    for (const alert of await store.claimBudgetAlerts(ways, CLAIM_MS)) await tell(alert).catch(report);
  };
  const tell = async (alert: DueBudgetAlert): Promise<void> => {
    const channel = channels[alert.channel];
    // The budget may want it no more, or another gateway may know its host.
    if (channel === undefined || !channel.serves(alert.budget)) return;
    await channel.send(alert);
    await store.closeBudgetAlert(alert.alertId);
  };
  const timer = setInterval(() => then(tellDue), everyMs).unref();

  return {
    consider({ budget, id, period, nowMs }, { limitUsd, spentUsd }) {
      const forecastUsd = budget.alerts.forecast ? projectSpend(spentUsd, period, nowMs) : null;
      const reasons = [
        ...new Set(budget.alerts.thresholds.filter((percent) => reaches(spentUsd, limitUsd, percent)).map(String)),
        ...(forecastUsd?.gt(limitUsd) ? [FORECAST] : []),
      ].filter((reason) => !raised.has(nameReason(id, limitUsd, reason)));
      if (reasons.length === 0) return;
      for (const reason of reasons) raised.add(nameReason(id, limitUsd, reason));
      for (const oldest of raised) {
        if (raised.size <= MOST_REMEMBERED) break;
        raised.delete(oldest);
      }
      const wanted = entriesOf(channels).filter(([, channel]) => channel.serves(budget));
      const alert = { ...id, limitUsd, spentUsd };
      const rows = reasons.flatMap((reason) =>
        wanted.map(([channel]) => ({
          ...alert,
          reason,
          channel,
          forecastUsd: reason === FORECAST ? forecastUsd : null,
        })),
      );
      then(async () => {
        try {
          await store.raiseBudgetAlerts(rows);
        } catch (thrown) {
          for (const reason of reasons) raised.delete(nameReason(id, limitUsd, reason));
          throw thrown;
        }
        await tellDue();
      });
    },
    async close() {
      clearInterval(timer);
      await running;
    },
  };
}

const HUNDRED = parseDecimal("100");

const reaches = (spentUsd: Decimal, limitUsd: Decimal, percent: number): boolean =>
  spentUsd.times(HUNDRED).gte(limitUsd.times(countToDecimal(percent)));

const nameReason = ({ budgetId, subject, from }: BudgetAccountId, limitUsd: Decimal, reason: string): string =>
  JSON.stringify([budgetId, subject, from.getTime(), formatDecimal(limitUsd), reason]);

function entriesOf(channels: Channels): [AlertChannel, Channel][] {
  const { log, webhook, email } = channels;
  const all: [AlertChannel, Channel | undefined][] = [
    ["log", log],
    ["webhook", webhook],
    ["email", email],
  ];
  return all.flatMap(([name, channel]): [AlertChannel, Channel][] => (channel === undefined ? [] : [[name, channel]]));
}
