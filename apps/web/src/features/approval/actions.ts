"use server";
/** Decides by the link alone, which is the credential: so at any address, as people without an account are asked by it. */
import { CentspanError } from "@centspan/base";
import { approvalDecisionSchema } from "@centspan/model";
import { redirect } from "next/navigation";
import { openLinkApi } from "#server/trace-api";

export async function decide(token: string, sent: FormData): Promise<void> {
  const said = (name: string): string => String(sent.get(name) ?? "");
  const page = `/approve/${encodeURIComponent(token)}`;
  const parsed = approvalDecisionSchema.safeParse({
    isApproved: said("decision") === "approve",
    by: said("by"),
    reviewMinutes: Number(said("minutes") || "0"),
    note: said("note"),
  });
  if (!parsed.success) redirect(`${page}?problem=${encodeURIComponent(parsed.error.issues[0]?.message ?? "")}`);
  try {
    await openLinkApi().decideApproval(token, parsed.data);
  } catch (thrown) {
    if (!(thrown instanceof CentspanError)) throw thrown;
    redirect(`${page}?problem=${encodeURIComponent(thrown.message)}`);
  }
  redirect(`${page}?said=${parsed.data.isApproved ? "approved" : "refused"}`);
}
