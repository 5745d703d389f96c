/** The columns of `metrics` that data points fill; what all signals share is RowWriter's. Names: src/columns.ts. */
import { classifyAttribute } from "./lifted-values.ts";
import { AttributesColumn } from "./native/attributes-column.ts";
import { FixedColumn, ListColumn, NullableColumn, TextColumn, TupleColumn } from "./native/column.ts";
import { NameColumn } from "./native/name-column.ts";

const nullable = (): NullableColumn => new NullableColumn(new FixedColumn(8));
const numbers = (): ListColumn<FixedColumn> => new ListColumn(new FixedColumn(8));

export const createMetricColumns = () => ({
  name: new NameColumn(),
  type: new NameColumn(),
  unit: new NameColumn(),
  description: new TextColumn(),
  temporality: new NameColumn(),
  monotonic: new FixedColumn(1),
  attributes: new AttributesColumn(classifyAttribute),
  started_at: new FixedColumn(8),
  at: new FixedColumn(8),
  flags: new FixedColumn(4),
  value_int: nullable(),
  value_double: nullable(),
  count: nullable(),
  sum: nullable(),
  min: nullable(),
  max: nullable(),
  bounds: numbers(),
  bucket_counts: numbers(),
  quantile_values: numbers(),
  scale: new FixedColumn(4),
  zero_count: new FixedColumn(8),
  zero_threshold: new FixedColumn(8),
  positive_offset: new FixedColumn(4),
  positive_counts: numbers(),
  negative_offset: new FixedColumn(4),
  negative_counts: numbers(),
  exemplars: new ListColumn(
    new TupleColumn({
      at: new FixedColumn(8),
      value: new FixedColumn(8),
      traceId: new TextColumn(),
      spanId: new TextColumn(),
      attributes: new AttributesColumn(),
    }),
  ),
  session_id: new TextColumn(),
});
export type MetricColumns = ReturnType<typeof createMetricColumns>;
