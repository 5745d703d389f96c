import { CentspanError } from "@centspan/base";
import { ApprovalView } from "#features/approval/approval-view.tsx";
import { readLanguage } from "#features/page/open-page.tsx";
import { openLinkApi } from "#server/trace-api";

export const dynamic = "force-dynamic";

type Props = { params: Promise<{ token: string }>; searchParams: Promise<{ said?: string; problem?: string }> };

export default async function ApprovalPage({ params, searchParams }: Props) {
  const [{ token }, { said, problem }, language] = await Promise.all([params, searchParams, readLanguage()]);
  const api = openLinkApi();
  const approval = await api.approval(token).catch((thrown: unknown) => {
    if (thrown instanceof CentspanError && thrown.code === "not_found") return null;
    throw thrown;
  });
  const isOver = approval !== null && Date.parse(approval.expiresAt) <= Date.now();
  return <ApprovalView {...{ token, approval, isOver, said, problem, language }} />;
}
