import { cookies } from "next/headers";
import type { ReactNode } from "react";
import { NavLinks } from "#components/nav-links";
import { readLanguage } from "#features/page/open-page.tsx";
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
  const items = [
    { href: "/", label: t.ledger },
    { href: "/spend", label: t.spend },
    { href: "/outcomes", label: t.outcomes },
    { href: "/waste", label: t.waste },
    { href: "/runs", label: t.runs },
    { href: "/recommendations", label: t.recommendations },
    { href: "/budgets", label: t.budgets },
    { href: "/prices", label: t.prices },
    { href: "/close", label: t.monthClose },
    { href: "/sources", label: t.sources },
    { href: "/settings", label: t.settings },
  ];
  return (
    <html lang={language} data-theme={theme === "light" || theme === "dark" ? theme : undefined}>
      <body>
        <noscript>
          <style>{".chart { display: none }"}</style>
        </noscript>
        <a className="skip-link" href="#main">
          {t.skip}
        </a>
        <div className="app">
          <nav className="side" aria-label={t.mainNavigation}>
            <Brand />
            <NavLinks items={items} more={t.more} />
          </nav>
          <div className="min-w-0">{children}</div>
        </div>
      </body>
    </html>
  );
}
