import { cookies } from "next/headers";
import type { ReactNode } from "react";
import { NavLinks } from "#components/nav-links";
import { ShellLabelsProvider } from "#components/shell-labels";
import { readLanguage } from "#features/page/open-page.tsx";
import { SECTIONS } from "#features/page/sections.ts";
import { getCatalogue } from "#i18n";
import "./globals.css";

function Brand() {
  return (
    <span className="brand flex items-center gap-2 px-2 pb-3.5 font-[650] text-figure">
      <svg className="size-[18px]" viewBox="0 0 18 18" aria-hidden="true">
        <rect x="1" y="3" width="16" height="3" fill="var(--accent)" />
        <rect x="5" y="7.5" width="9" height="3" fill="var(--accent)" opacity=".65" />
        <rect x="8" y="12" width="4" height="3" fill="var(--waste)" />
      </svg>
      Centspan
    </span>
  );
}

export default async function RootLayout({ children }: { children: ReactNode }) {
  const language = await readLanguage();
  const theme = (await cookies()).get("theme")?.value;
  const t = getCatalogue(language);
  const items = SECTIONS.map((section) => ({ ...section, label: t[section.name] }));
  const { csv, picture, search, searchPlaceholder, nothingFound, goTo } = t;
  const labels = {
    ...{ csv, picture, search, searchPlaceholder, nothingFound, goTo, foundKind: t.foundKind },
    ...{ savedViews: t.savedViews, saveView: t.saveView, saveViewAs: t.saveViewAs },
    pages: SECTIONS.flatMap(({ pages }) => pages.map(({ name, path }) => ({ label: t[name], path }))),
  };
  return (
    <html lang={language} data-theme={theme === "light" || theme === "dark" ? theme : undefined}>
      <body>
        <noscript>
          <style>{".chart { display: none }"}</style>
        </noscript>
        <a className="skip-link" href="#main">
          {t.skip}
        </a>
        <ShellLabelsProvider labels={labels}>
          <div className="app">
            <nav className="side" aria-label={t.mainNavigation}>
              <Brand />
              <NavLinks items={items} more={t.more} />
            </nav>
            <div className="min-w-0">{children}</div>
          </div>
        </ShellLabelsProvider>
      </body>
    </html>
  );
}
