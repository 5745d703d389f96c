"use client";
/** A fault of ours: says so, gives the reference that the log has, and lets one try again. */
import { useRouter } from "next/navigation";
import { startTransition } from "react";
import { getCatalogue, isLanguage } from "#i18n";

/** The document's own language: this runs in the browser, where the cookie may be out of reach. */
function readDocumentLanguage(): "en" | "ko" {
  const language = typeof document === "undefined" ? "en" : document.documentElement.lang;
  return isLanguage(language) ? language : "en";
}

export default function ErrorPage({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  const router = useRouter();
  const t = getCatalogue(readDocumentLanguage());
  const retry = () =>
    startTransition(() => {
      router.refresh();
      reset();
    });
  return (
    <main id="main" className="flex max-w-[1400px] flex-col gap-3.5 px-6 pt-[18px] pb-10">
      <h1 className="font-[650] text-title leading-tight">{t.errorTitle}</h1>
      <section className="panel max-w-[640px] p-4">
        <p className="text-ink-2">{t.errorText}</p>
        {error.digest !== undefined && (
          <p className="font-mono text-axis text-ink-3">{t.errorReference(error.digest)}</p>
        )}
        <button type="button" className="control mt-3" onClick={retry}>
          {t.retry}
        </button>
      </section>
    </main>
  );
}
