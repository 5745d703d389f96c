"use client";
/** A link inside the app. Pages are made on request, so nothing is fetched ahead; a slow answer shows a bar after 300 ms. */
import Link, { useLinkStatus } from "next/link";
import type { ComponentProps } from "react";

function PendingBar() {
  const { pending } = useLinkStatus();
  return pending ? <span className="pending-bar" aria-hidden="true" /> : null;
}

export function PageLink({ children, ...rest }: ComponentProps<typeof Link>) {
  return (
    <Link prefetch={false} {...rest}>
      {children}
      <PendingBar />
    </Link>
  );
}
