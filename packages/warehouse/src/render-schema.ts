/** The DDL of the tables that schema.ts describes. */
import type { Column, Table } from "./schema.ts";

/** `CREATE TABLE IF NOT EXISTS` for a single server. */
export function renderCreateTable(table: Table): string {
  const body = [
    ...table.columns.map(renderColumn),
    ...(table.indexes ?? []).map(
      ({ name, expression, type }) => `INDEX ${name} ${expression} TYPE ${type} GRANULARITY 1`,
    ),
  ];
  const { version, deleted } = table.engine;
  return [
    `CREATE TABLE IF NOT EXISTS ${table.name} (`,
    body.map((line) => `  ${line}`).join(",\n"),
    `) ENGINE = ReplacingMergeTree(${[version, deleted].filter(Boolean).join(", ")})`,
    ...(table.partitionBy === undefined ? [] : [`PARTITION BY ${table.partitionBy}`]),
    `ORDER BY (${table.orderBy.join(", ")})`,
  ].join("\n");
}

function renderColumn(column: Column): string {
  const clauses = [`\`${column.name}\``, column.type];
  if (column.default !== undefined) clauses.push(`DEFAULT ${column.default}`);
  if (column.materialized !== undefined) clauses.push(`MATERIALIZED ${column.materialized}`);
  return clauses.join(" ");
}
