/** The rows of a chart as a table that opens on request: each chart can be read without seeing it. */
import { clsx } from "clsx";
import type { Catalogue } from "#i18n";

type RowsProps = {
  t: Catalogue;
  columns: readonly string[];
  rows: readonly { key: string; cells: readonly string[] }[];
};

export function RowsOnRequest({ t, columns, rows }: RowsProps) {
  return (
    <details className="border-line border-t px-4 py-2 text-note">
      <summary className="cursor-pointer text-accent">{t.showRows}</summary>
      <div className="max-h-[320px] overflow-auto">
        <table className="data-table mt-1">
          <thead>
            <tr>
              {columns.map((column, i) => (
                <th key={column} scope="col" className={clsx(i > 0 && "num")}>
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, cells }) => (
              <tr key={key}>
                {columns.map((column, i) => (
                  <td key={column} className={clsx(i > 0 && "num")}>
                    {cells[i]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
