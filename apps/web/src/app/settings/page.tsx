import { redirect } from "next/navigation";
import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { listSettingsPages, settingsPath } from "#features/settings/settings-frame.tsx";

export const dynamic = "force-dynamic";

/** Leads to the first of them that is more than one's own account. */
export default function SettingsPage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/settings", searchParams, async (page) => {
    const [first = "account"] = listSettingsPages(page).filter((id) => id !== "account");
    redirect(page.href(settingsPath(first)));
  });
}
