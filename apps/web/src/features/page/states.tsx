/** States without data, each with what to do next: a store away, an address that asks for what isn't there. */
import { AutoRetry } from "#components/auto-retry";
import type { PageBase } from "./page.ts";
import { StateFrame } from "./page-frame.tsx";

const isStore = (name: string): name is "warehouse" | "control" => name === "warehouse" || name === "control";

export function AwayState({ page, stores }: { page: PageBase; stores: readonly string[] }) {
  const { t } = page;
  const names = stores.map((name) => (isStore(name) ? t.storeOf[name] : name)).join(", ");
  return (
    <StateFrame page={page} title={t.awayTitle(names === "" ? t.aStore : names)}>
      <section className="panel max-w-[640px]">
        <p className="rounded-t-panel border-waste-line border-b bg-waste-weak px-4 py-2.5">{t.awayText}</p>
        <div className="flex flex-wrap items-center gap-3 px-4 py-3">
          <a className="control" href={page.here({})}>
            {t.retry}
          </a>
          <AutoRetry everyMs={5_000} text={t.retryingSoon} />
        </div>
      </section>
    </StateFrame>
  );
}

export function BadAddressState({ page, detail }: { page: PageBase; detail: string }) {
  const { t } = page;
  return (
    <StateFrame page={page} title={t.badAddressTitle}>
      <section className="panel max-w-[640px] p-4">
        <p className="text-ink-2">{t.badAddressText}</p>
        <pre className="code-block my-2.5">{detail}</pre>
        <a className="control" href={page.path}>
          {t.clearFilters}
        </a>
      </section>
    </StateFrame>
  );
}
