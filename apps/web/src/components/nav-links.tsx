"use client";
/** The main navigation: marks where one is and carries workspace and period along. Rendered on the server too. */
import { clsx } from "clsx";
import { usePathname, useSearchParams } from "next/navigation";
import { buildHref, pickCarried } from "#features/page/params.ts";
import { PageLink } from "./page-link.tsx";

export type NavItem = { href: string; label: string };

const isCurrent = (href: string, path: string): boolean =>
  href === "/" ? path === "/" || path.startsWith("/keys/") : path === href || path.startsWith(`${href}/`);

export function NavLinks({ items }: { items: NavItem[] }) {
  const path = usePathname();
  const carried = pickCarried(Object.fromEntries(useSearchParams()));
  return items.map(({ href, label }) => {
    const current = isCurrent(href, path);
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
  });
}
