import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { WebhooksView } from "#features/settings/other-views.tsx";
import { SettingsFrame } from "#features/settings/settings-frame.tsx";
import { describeOrigin } from "#server/describe-origin";

export const dynamic = "force-dynamic";

export default function WebhooksSettingsPage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/settings/webhooks", searchParams, async (page) => {
    const { key } = page.params;
    const [{ data: keys }, { data: budgets }, shown, origin] = await Promise.all([
      page.api.keys(),
      page.api.budgets(),
      key === undefined ? null : page.api.webhook(key),
      describeOrigin(),
    ]);
    return (
      <SettingsFrame page={page} id="webhooks" subtitle={page.t.webhooksSubtitle}>
        <WebhooksView page={page} keys={keys} shown={shown} origin={origin} budgets={budgets} />
      </SettingsFrame>
    );
  });
}
