/**
 * Work that a person approves or refuses by a signed link: who has the link decides, once, and answers for it by name. Agents have
 * ingest keys, which get no link: else they would approve their own work.
 */
import { CentspanError, deriveId } from "@centspan/base";
import {
  type Approval,
  approvalDecisionSchema,
  approvalInputSchema,
  approvalRowSchema,
  nameActor,
  type Outcome,
} from "@centspan/model";
import { z } from "zod";
import { defineRoute } from "../route.ts";

export const askApproval = defineRoute({
  id: "askApproval",
  method: "POST",
  path: "/outcomes/approvals",
  summary: "Makes a link by which a person approves or refuses work: for one decision, until its end",
  needs: "outcomes.curate",
  query: z.strictObject({}),
  body: approvalInputSchema,
  answer: approvalRowSchema.extend({
    token: z.string(),
    path: z.string().describe("of the page, under the web address"),
  }),
  successStatus: 201,
  async run({ deps, caller, body }) {
    const { approval, token } = await deps.control.createApproval(caller.workspace, body, nameActor(caller.principal));
    return { ...toRow(approval), token, path: `/approve/${token}` };
  },
});

/** The link alone says who asks: no key is needed, and none adds anything. */
export const readApproval = defineRoute({
  id: "readApproval",
  method: "GET",
  path: "/approvals/{token}",
  summary: "What the link asks to approve",
  needs: null,
  hasToken: true,
  query: z.strictObject({}),
  body: z.undefined(),
  answer: approvalRowSchema,
  run: async ({ deps, params: { token = "" } }) => toRow(await deps.control.findApproval(token)),
});

export const decideApproval = defineRoute({
  id: "decideApproval",
  method: "POST",
  path: "/approvals/{token}",
  summary: "Approves or refuses, once, in a person's name",
  needs: null,
  hasToken: true,
  query: z.strictObject({}),
  body: approvalDecisionSchema,
  answer: approvalRowSchema,
  successStatus: 201,
  async run({ deps, params: { token = "" }, body }) {
    const asked = await deps.control.findApproval(token);
    if (body.reviewMinutes > asked.maxReviewMinutes)
      throw new CentspanError("invalid_request", `body.reviewMinutes: at most ${asked.maxReviewMinutes} by this link`, {
        field: "body.reviewMinutes",
      });
    const { workspace, approvalId, subject, decidedAt } = await deps.control.decideApproval(token, body);
    const outcome: Outcome = {
      outcomeId: deriveId("outcome", workspace, "approval", approvalId),
      subject,
      kind: "approved",
      status: body.isApproved ? "passed" : "failed",
      weight: 1,
      source: "approval",
      evidence: {
        by: body.by,
        reviewMinutes: body.reviewMinutes,
        askedBy: asked.askedBy,
        ...(body.note && { note: body.note }),
      },
      atNs: decidedAt === null ? deps.clock.nowNs() : BigInt(decidedAt.getTime()) * 1_000_000n,
    };
    await deps.warehouse.insertOutcomes(workspace, [outcome]);
    return toRow({ ...asked, decidedAt });
  },
});

const toRow = ({ workspace: _own, expiresAt, decidedAt, ...asked }: Approval): z.input<typeof approvalRowSchema> => ({
  ...asked,
  expiresAt: expiresAt.toISOString(),
  decidedAt: decidedAt?.toISOString() ?? null,
});
