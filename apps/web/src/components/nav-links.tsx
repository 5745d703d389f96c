"use client";
/** The main navigation: marks where one is and carries workspace and period along. Rendered on the server too. */
import { clsx } from "clsx";
import { usePathname, useSearchParams } from "next/navigation";
import { buildHref, pickCarried } from "#features/page/params.ts";
import { isOfSection, type Section } from "#features/page/sections.ts";
import { PageLink } from "./page-link.tsx";

export type NavItem = Section & { label: string };

/** On a phone there is room for so many; the others open above "more". */
const TABS = 4;

export function NavLinks({ items, more }: { items: NavItem[]; more: string }) {
  const path = usePathname();
  const carried = pickCarried(Object.fromEntries(useSearchParams()));
  const link = ({ label, ...section }: NavItem) => {
    const current = isOfSection(section, path);
    const href = section.pages[0].path;
    return (
      <PageLink
        key={href}
        href={buildHref(href, carried)}
        aria-current={current ? "page" : undefined}
        className={clsx("nav-item", current && "nav-item-current")}
      >
        {label}
      </PageLink>
    );
  };
  const others = items.slice(TABS);
  const isAmongOthers = others.some((section) => isOfSection(section, path));
  return (
    <>
      {items.slice(0, TABS).map(link)}
      <button
        type="button"
        popoverTarget="more-pages"
        className={clsx("nav-item nav-more", isAmongOthers && "nav-item-current")}
      >
        {more}
      </button>
      {/* Pages change without a new document, which would leave it open. */}
      <div id="more-pages" popover="auto" className="nav-others" key={path}>
        {others.map(link)}
      </div>
    </>
  );
}
