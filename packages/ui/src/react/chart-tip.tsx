/** The box under the pointer of a chart: a title, named values, one note. */
export function ChartTip({ title, rows, note }: { title: string; rows: readonly [string, string][]; note?: string }) {
  return (
    <div className="rounded-control border border-line-strong bg-surface px-2.5 py-1.5 text-note shadow-sm">
      <p className="font-semibold">{title}</p>
      <dl className="grid grid-cols-[auto_auto] gap-x-3">
        {rows.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-3">{name}</dt>
            <dd className="text-right">{value}</dd>
          </div>
        ))}
      </dl>
      {note !== undefined && <p className="text-ink-3">{note}</p>}
    </div>
  );
}
