/**
 * Calls beside what they cost by a table of prices, as SQL. Which price holds was decided where the table was made; here
 * is only the multiplication, which is exact: a count times a price of 12 decimals. No decimal is divided.
 */
import { formatDecimal } from "@centspan/base";
import { type ClassPrices, METERS, type PriceTable, type TimeRange, type UnitPrices, unitOf } from "@centspan/model";
import { allOf, and, type Conditions, NO_CONDITION, whereInRange } from "../conditions.ts";
import type { QueryParams } from "../connection.ts";
import { columnOf } from "../rows/call-row.ts";

type Fragment = { sql: string; params: QueryParams };

/** What a class consists of, of a call and of a class of the table alike. */
const CLASS_COLUMNS = ["class_provider", "class_model", "class_tier", "class_region", "class_key", "class_team"];

/** Calls as classes: keys and teams without contracts are not told apart. */
const KEY_OF_CALL = "if(has({keyIds:Array(String)}, key_id), key_id, '')";
const TEAM_OF_CALL = "if(has({teams:Array(String)}, team), team, '')";
const OF_CALL = ["provider", "model", "service_tier", "region", KEY_OF_CALL, TEAM_OF_CALL];
export const CLASS_OF_CALL = CLASS_COLUMNS.map((column, index) => `toString(${OF_CALL[index]}) AS ${column}`).join(
  ", ",
);
/** Joined by one number, which is much faster than by six texts; two of them then tell that it is no other class. */
const hashClass = (columns: readonly string[]): string => `cityHash64(${columns.join(", ")}) AS class_hash`;

/**
 * Rows stand in the statement, each as JSON of texts: as parameters of an INSERT they would be in its address, which has
 * room for few. The columns are expressions of their `fields`.
 */
const selectRows = (rows: readonly string[][], columns: readonly string[]): string =>
  `SELECT ${columns.join(", ")}
      FROM (SELECT JSONExtract(arrayJoin(${writeTexts(rows.map((fields) => JSON.stringify(fields)))}), 'Array(String)') AS fields)`;

/** JSON has no control characters, so these two are all that a literal escapes. */
const writeTexts = (texts: readonly string[]): string =>
  `[${texts.map((text) => `'${text.replaceAll(/[\\']/g, "\\$&")}'`).join(", ")}]::Array(String)`;

const numbersAt = (index: number): string => `JSONExtract(fields[${index}], 'Array(Int64)')`;

const selectClasses = (classes: readonly ClassPrices[]): string =>
  selectRows(
    classes.map(({ callClass, timeCutsNs, contextCuts, minuteCuts }, number) => [
      ...[
        callClass.provider,
        callClass.model,
        callClass.serviceTier,
        callClass.region,
        callClass.keyId,
        callClass.team,
      ],
      String(number + 1),
      // BigInts have no JSON; the text of each is that of a number.
      `[${timeCutsNs.join()}]`,
      JSON.stringify(contextCuts.map(({ tokens }) => tokens)),
      JSON.stringify(contextCuts.map(({ comparator }) => (comparator === ">" ? 1 : 0))),
      JSON.stringify(minuteCuts),
    ]),
    [
      ...CLASS_COLUMNS.map((column, index) => `fields[${index + 1}] AS ${column}`),
      "toUInt64(fields[7]) AS class_number",
      `${numbersAt(8)} AS time_cuts`,
      `${numbersAt(9)} AS context_cuts`,
      `${numbersAt(10)} AS context_margins`,
      `${numbersAt(11)} AS minute_cuts`,
    ],
  );

/** Where there is no price: below every one that is. */
const NO_PRICE = "-1";
/** More than a class has of any kind. */
const BANDS = 65_536n;

const selectPrices = (classes: readonly ClassPrices[]): string =>
  selectRows(
    classes.flatMap(({ prices }, number) =>
      prices.map(({ timeBand, contextBand, minuteBand, price }) => [
        String(
          ((BigInt(number + 1) * BANDS + BigInt(timeBand)) * BANDS + BigInt(contextBand)) * BANDS + BigInt(minuteBand),
        ),
        price?.id ?? "",
        ...[price?.units, price?.list].flatMap(writeUnits),
        price?.isSimulated ? "1" : "",
      ]),
    ),
    [
      "toUInt64(fields[1]) AS price_key",
      "fields[2] AS price_id",
      "true AS is_listed",
      ...["unit", "list"].flatMap((kind, side) =>
        METERS.map((meter, index) => {
          const at = 3 + side * METERS.length + index;
          return `toDecimal128(fields[${at}], 12) AS ${kind}_${meter}`;
        }),
      ),
      `notEmpty(fields[${3 + 2 * METERS.length}]) AS is_simulated`,
    ],
  );

const writeUnits = (units: UnitPrices | null | undefined): string[] =>
  METERS.map((meter) => {
    const unit = units && unitOf(units, meter);
    return unit ? formatDecimal(unit) : NO_PRICE;
  });

/** How many of its class's cuts a call has reached. */
const CONTEXT = "(input + cache_read + cache_write_5m + cache_write_1h)";
const TIME_BAND = "arrayCount(cut -> toUnixTimestamp64Nano(at) >= cut, time_cuts)";
const CONTEXT_BAND = `arrayCount((cut, margin) -> ${CONTEXT} >= cut * requests + margin, context_cuts, context_margins)`;
const MINUTE_BAND = `if(empty(minute_cuts), 0, arrayCount(
    cut -> (toDayOfWeek(at) - 1) * 1440 + toHour(at) * 60 + toMinute(at) >= cut, minute_cuts))`;
const PRICE_KEY = `((class_number * ${BANDS} + ${TIME_BAND}) * ${BANDS} + ${CONTEXT_BAND}) * ${BANDS} + ${MINUTE_BAND}`;

export type Rating = { table: PriceTable; range: TimeRange };

/**
 * The calls of the range with `new_status`, `new_cost`, `new_price_id` and `new_provenance` beside what they have, and the unit prices;
 * those whose usage contradicts itself have no price. `columns` is what else is wanted of them.
 */
export function selectRated(
  { table, range }: Rating,
  columns: readonly string[],
  where: Conditions = NO_CONDITION,
): Fragment {
  const classes = selectClasses(table.classes);
  const prices = selectPrices(table.classes);
  const within = allOf(whereInRange({ range }, "at"), where);
  const read = [
    ...new Set([
      ...columns,
      "cost_status",
      "cost_usd",
      "price_entry_id",
      "provenance",
      "usage_provenance",
      ...METERS.map(columnOf),
    ]),
  ];
  const used = METERS.map(columnOf).join(" + ");
  const lacking = METERS.map((meter) => `(${columnOf(meter)} > 0 AND unit_${meter} < 0)`).join(" OR ");
  const cost = METERS.map((meter) => `${columnOf(meter)} * unit_${meter}`).join(" + ");
  return {
    sql: `SELECT *,
        price_id != '' AND NOT (${lacking}) AS is_priced,
        multiIf(NOT is_priced, 'unpriced', usage_provenance = 'estimated', 'estimated', 'rated') AS new_status,
        if(is_priced AND is_simulated, 'simulated', usage_provenance) AS new_provenance,
        if(is_priced, toNullable(${cost}), NULL) AS new_cost,
        if(is_priced AND ${used} > 0, price_id, '') AS new_price_id,
        new_status != cost_status OR new_price_id != price_entry_id OR new_provenance != provenance
          OR ifNull(new_cost, ${NO_PRICE}) != ifNull(cost_usd, ${NO_PRICE}) AS is_changed
      FROM (
        SELECT ${read.join(", ")}, toUInt64(${PRICE_KEY}) AS price_key
        FROM (
          SELECT ${[...new Set([...read, "at", "requests", "model", "provider"])].join(", ")}, ${hashClass(OF_CALL)}
          FROM calls FINAL
          WHERE workspace = {workspace:String} AND quarantine_reason = ''${and(within)}
        ) AS called
        ANY LEFT JOIN (SELECT *, ${hashClass(CLASS_COLUMNS)} FROM (${classes})) AS classes USING (class_hash)
        WHERE class_number > 0 AND model = class_model AND provider = class_provider
      ) AS classified
      ANY LEFT JOIN (${prices}) AS prices USING (price_key)
      WHERE is_listed`,
    params: { ...within.params, ...table.scopes },
  };
}
