/** The frame of a page: breadcrumb and switches, the period bar, one h1, the content. Works without client code. */
import { formatDate, formatDateMinute, formatDay, ProvenanceMark, parseInstantNs } from "@centspan/ui";
import { clsx } from "clsx";
import type { ReactNode } from "react";
import { CommandPalette } from "#components/command-palette";
import { PageLink } from "#components/page-link";
import { findAccess } from "#server/page-access";
import { UserMenu } from "../account/user-menu.tsx";
import type { DayRange } from "./day-range.ts";
import type { Page, PageBase } from "./page.ts";
import { PERIODS, type Period } from "./period.ts";
import { listBeside } from "./sections.ts";

type Crumb = { label: string; href?: string };

function Preference({ name, value, label, title }: { name: string; value: string; label: string; title: string }) {
  return (
    <form method="post" action="/preferences">
      <button type="submit" name={name} value={value} className="control" title={title}>
        {label}
      </button>
    </form>
  );
}

function ThemeSwitch({ t }: { t: PageBase["t"] }) {
  const themes = [
    ["system", t.themeSystem],
    ["light", t.themeLight],
    ["dark", t.themeDark],
  ] as const;
  return (
    <details className="menu">
      <summary className="control">{t.theme}</summary>
      <form method="post" action="/preferences" className="menu-list">
        {themes.map(([value, label]) => (
          <button key={value} type="submit" name="theme" value={value} className="menu-item">
            {label}
          </button>
        ))}
      </form>
    </details>
  );
}

function WorkspaceMenu({ page }: { page: Page }) {
  const { t, workspaces, params } = page;
  const current = workspaces.find(({ id }) => id === params.workspace) ?? workspaces.find(({ id }) => id === "default");
  if (workspaces.length < 2) return null;
  return (
    <details className="menu">
      <summary className="control" aria-label={`${t.workspace}: ${current?.name ?? ""}`}>
        {current?.name ?? t.workspace}
      </summary>
      <ul className="menu-list">
        {workspaces.map(({ id, name }) => (
          <li key={id}>
            <PageLink
              className={clsx("menu-item", id === current?.id && "font-semibold")}
              href={id === "default" ? "/" : `/?workspace=${encodeURIComponent(id)}`}
            >
              {name}
            </PageLink>
          </li>
        ))}
      </ul>
    </details>
  );
}

type TopBarProps = { page: PageBase; crumbs: readonly Crumb[]; workspaces?: ReactNode; user?: ReactNode };

function TopBar({ page, crumbs, workspaces, user }: TopBarProps) {
  const other = page.language === "en" ? "ko" : "en";
  return (
    <header className="flex min-h-12 flex-wrap items-center gap-2 border-line border-b bg-surface px-6 py-1.5 max-sm:px-4">
      <nav aria-label="Breadcrumb" className="min-w-0 flex-1 truncate text-ink-3">
        {crumbs.map((crumb, i) => (
          <span key={`${crumb.href ?? ""} ${crumb.label}`}>
            {i > 0 && " / "}
            {crumb.href === undefined ? (
              <b className="font-semibold text-ink">{crumb.label}</b>
            ) : (
              <PageLink className="underline decoration-line-strong underline-offset-2" href={crumb.href}>
                {crumb.label}
              </PageLink>
            )}
          </span>
        ))}
      </nav>
      <CommandPalette />
      {workspaces}
      <Preference name="lang" value={other} label={page.t.otherLanguage} title={page.t.otherLanguage} />
      <ThemeSwitch t={page.t} />
      {user}
    </header>
  );
}

type PeriodMenuProps = {
  page: PageBase;
  current: string;
  choices: readonly { id: string; text: string }[];
  from?: string | undefined;
  to?: string | undefined;
};

/** Periods to choose from, or days of one's own: both of them included. */
export function PeriodMenu({ page, current, choices, from = page.params.from, to = page.params.to }: PeriodMenuProps) {
  const { t, params } = page;
  const shown = choices.find(({ id }) => id === current)?.text ?? t.periodOf.custom;
  return (
    <details className="menu menu-left">
      <summary className="control font-semibold" aria-label={`${t.period}: ${shown}`}>
        {shown}
      </summary>
      <div className="menu-list">
        {choices.map(({ id, text }) => (
          <PageLink
            key={id}
            className={clsx("menu-item", id === current && "font-semibold")}
            href={page.here({ period: id, from: null, to: null, cursor: null })}
          >
            {text}
          </PageLink>
        ))}
        <form className="flex flex-col gap-2 border-line border-t p-2" action={page.path}>
          {Object.entries(params)
            .filter(([name]) => !["period", "from", "to", "cursor"].includes(name))
            .map(([name, value]) => (
              <input key={name} type="hidden" name={name} value={value} />
            ))}
          <label className="flex flex-col gap-0.5 text-ink-2 text-note">
            {t.from}
            <input className="field" type="date" name="from" defaultValue={from} />
          </label>
          <label className="flex flex-col gap-0.5 text-ink-2 text-note">
            {t.to}
            <input className="field" type="date" name="to" defaultValue={to} />
          </label>
          <button type="submit" className="control justify-center">
            {t.apply}
          </button>
        </form>
      </div>
    </details>
  );
}

/** "30 Oct – 28 Nov 2026 against 30 Sep – 29 Oct", and whether the last of them is over. */
export function describeDays(days: DayRange, { t, language }: Pick<PageBase, "t" | "language">): string[] {
  const write = (day: string, format = formatDay) => format(BigInt(Date.parse(day)) * 1_000_000n, language);
  // The year stands where the language has it: with the last day, or before all.
  const [first, last] = language === "ko" ? [formatDate, formatDay] : [formatDay, formatDate];
  const said = `${write(days.firstDay, first)} – ${write(days.lastDay, last)}`;
  const before = `${write(days.before.firstDay)} – ${write(days.before.lastDay)}`;
  return [`${said} ${t.against(before)}`, ...(days.isOpen ? [t.lastDayIsOpen] : [])];
}

/** The pages beside this one, where its question has several. */
function SectionTabs({ page }: { page: Page }) {
  const { pages: all, current } = listBeside(page.path);
  const pages = all.filter(({ path }) => {
    const access = findAccess(path);
    return access === null || page.may(access);
  });
  if (pages.length < 2) return null;
  return (
    <nav aria-label={page.t.pagesBeside} className="section-tabs">
      {pages.map(({ path, name }) => (
        <PageLink
          key={path}
          href={page.href(path)}
          aria-current={path === current ? "page" : undefined}
          className={clsx("section-tab", path === current && "section-tab-current")}
        >
          {page.t[name]}
        </PageLink>
      ))}
    </nav>
  );
}

const KINDS = ["measured", "derived", "estimated", "allocated", "simulated"] as const;

function Marks({ t }: { t: PageBase["t"] }) {
  return (
    <ul className="ml-auto flex gap-2.5 text-axis text-ink-3 max-sm:hidden" aria-label={t.keyOfMarks}>
      {KINDS.map((kind) => (
        <li key={kind} className="flex items-center gap-1">
          <ProvenanceMark kind={kind} label={t.provenanceOf[kind]} decorative />
          {t.provenanceOf[kind]}
        </li>
      ))}
    </ul>
  );
}

type FrameProps = {
  page: Page;
  title: string;
  subtitle?: ReactNode;
  crumbs: readonly Crumb[];
  period?: Period;
  /** In place of the period, where a page has periods of its own. */
  menu?: ReactNode;
  /** What the period bar says beside the period, or instead of it. */
  facts?: readonly string[];
  /** Whose days these are. */
  zone?: string;
  actions?: ReactNode;
  children: ReactNode;
};

export function PageFrame({ page, title, subtitle, crumbs, facts = [], actions, children, ...bar }: FrameProps) {
  const { period, menu, zone = page.zone } = bar;
  const { t, ratedThrough, language } = page;
  const rated = ratedThrough === null ? [] : [t.ratedThrough(formatDateMinute(parseInstantNs(ratedThrough), language))];
  const said = [
    ...(period?.fellBack === true ? [t.fellBackToAll] : []),
    ...(period?.days == null ? [] : describeDays(period.days, page)),
    ...facts,
    zone,
    ...(period === undefined && menu === undefined ? [] : rated),
  ];
  return (
    <>
      <TopBar page={page} crumbs={crumbs} workspaces={<WorkspaceMenu page={page} />} user={<UserMenu page={page} />} />
      {(period !== undefined || menu !== undefined || facts.length > 0) && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-line border-b bg-surface px-6 py-2 text-ink-2 text-note max-sm:px-4">
          {period === undefined ? (
            menu
          ) : (
            <PeriodMenu page={page} current={period.id} choices={PERIODS.map((id) => ({ id, text: t.periodOf[id] }))} />
          )}
          {said.map((text) => (
            <span key={text} className="not-first:border-line-strong not-first:border-l not-first:pl-3">
              {text}
            </span>
          ))}
          <Marks t={t} />
        </div>
      )}
      <Main title={title} subtitle={subtitle} actions={actions}>
        <SectionTabs page={page} />
        {children}
      </Main>
    </>
  );
}

type MainProps = { title: string; subtitle?: ReactNode; actions?: ReactNode; children: ReactNode };

export function Main({ title, subtitle, actions, children }: MainProps) {
  return (
    <>
      {/* React puts it into the head. */}
      <title>{`${title} · Centspan`}</title>
      <main
        id="main"
        tabIndex={-1}
        className="flex max-w-[1400px] flex-col gap-3.5 px-6 pt-[18px] pb-10 outline-none max-sm:gap-2.5 max-sm:px-0 max-sm:pb-20"
      >
        <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1 max-sm:px-4">
          <h1 className="font-[650] text-title leading-tight tracking-[-0.012em]">{title}</h1>
          {subtitle !== undefined && <p className="text-ink-2">{subtitle}</p>}
          {actions !== undefined && <div className="ml-auto flex gap-2">{actions}</div>}
        </div>
        {children}
      </main>
    </>
  );
}

/** The frame of a state that has no data: error, away, bad address. */
export function StateFrame({ page, title, children }: { page: PageBase; title: string; children: ReactNode }) {
  return (
    <>
      <TopBar page={page} crumbs={[{ label: title }]} />
      <Main title={title}>{children}</Main>
    </>
  );
}
