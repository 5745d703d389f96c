/** The frame of what is seen before one is in: no navigation, which would lead nowhere yet. */
import type { ReactNode } from "react";
import { getCatalogue, type Language } from "#i18n";

export function Door({ title, language, children }: { title: string; language: Language; children: ReactNode }) {
  const other = language === "en" ? "ko" : "en";
  return (
    <>
      <title>{`${title} · Centspan`}</title>
      <main id="main" tabIndex={-1} className="door outline-none">
        <section className="panel flex w-full max-w-[400px] flex-col gap-4 p-6">
          <h1 className="font-[650] text-title leading-tight">{title}</h1>
          {children}
        </section>
        <form method="post" action="/preferences">
          <button type="submit" name="lang" value={other} className="control">
            {getCatalogue(language).otherLanguage}
          </button>
        </form>
      </main>
    </>
  );
}
