/**
 * Rules of the published model for 1.2 whose checks say otherwise than their own text, and what the text says. As published,
 * no data with and without commitments can pass them: a status has to be there where no commitment is, of values that are
 * not the column's, and a category where there is none.
 */

import type { Check } from "./check-schema.ts";
import { both, either, is, isNot } from "./make-checks.ts";

const STATUS = "CommitmentDiscountStatus";
const CATEGORY = "CommitmentDiscountCategory";
const DISCOUNT = "CommitmentDiscountId";

export const ERRATA_1_2: Readonly<Record<string, { Requirement?: Check; Condition?: Check }>> = {
  "CommitmentDiscountStatus-C-003-C": { Requirement: is(STATUS, null) },
  "CommitmentDiscountStatus-C-004-C": { Condition: both(isNot(DISCOUNT, null), is("ChargeCategory", "Usage")) },
  "CommitmentDiscountStatus-C-005-M": {
    Requirement: either(is(STATUS, "Used"), is(STATUS, "Unused")),
    Condition: isNot(STATUS, null),
  },
  "CommitmentDiscountCategory-C-005-M": { Condition: isNot(CATEGORY, null) },
};
