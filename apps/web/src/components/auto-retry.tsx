"use client";
/** Asks the server for the page again at an interval while it is on screen; without client code the link beside it does. */
import { useRouter } from "next/navigation";
import { useEffect } from "react";

export function AutoRetry({ everyMs, text }: { everyMs: number; text: string }) {
  const router = useRouter();
  useEffect(() => {
    const timer = setInterval(() => router.refresh(), everyMs);
    return () => clearInterval(timer);
  }, [router, everyMs]);
  return (
    <p className="text-ink-3 text-note" role="status">
      {text}
    </p>
  );
}
