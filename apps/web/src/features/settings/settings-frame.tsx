/** The frame of the settings pages: which ones there are, for whoever looks at them. */
import { clsx } from "clsx";
import type { ReactNode } from "react";
import { PageLink } from "#components/page-link";
import { findAccess } from "#server/page-access";
import type { Page } from "../page/page.ts";
import { PageFrame } from "../page/page-frame.tsx";

export const SETTINGS_PAGES = [
  "account",
  "members",
  "keys",
  "teams",
  "content",
  "retention",
  "webhooks",
  "workspace",
  "audit",
] as const;
export type SettingsPage = (typeof SETTINGS_PAGES)[number];

export const settingsPath = (id: SettingsPage): string => `/settings/${id}`;

export function listSettingsPages(page: Page): SettingsPage[] {
  return SETTINGS_PAGES.filter((id) => {
    const access = findAccess(settingsPath(id));
    return access === null || page.may(access);
  });
}

type FrameProps = { page: Page; id: SettingsPage; subtitle: string; children: ReactNode };

export function SettingsFrame({ page, id, subtitle, children }: FrameProps) {
  const { t } = page;
  return (
    <PageFrame
      page={page}
      title={t.settingsOf[id]}
      subtitle={subtitle}
      crumbs={[{ label: t.settings, href: page.href("/settings") }, { label: t.settingsOf[id] }]}
    >
      <nav aria-label={t.settingsPages} className="flex flex-wrap gap-1.5 max-sm:px-4">
        {listSettingsPages(page).map((other) => (
          <PageLink
            key={other}
            href={page.href(settingsPath(other))}
            aria-current={other === id ? "page" : undefined}
            className={clsx("control", other === id && "border-accent-line! bg-accent-weak! text-accent!")}
          >
            {t.settingsOf[other]}
          </PageLink>
        ))}
      </nav>
      {children}
    </PageFrame>
  );
}
