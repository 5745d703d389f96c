/** A plain table, in a box that scrolls sideways where the page is narrow: a heading for each column, and rows. */
import { clsx } from "clsx";
import type { ReactNode } from "react";

/** Text, or what else is said of its column. */
type Heading = string | { text: string; isNumber?: boolean; isForReadersOnly?: boolean; isWide?: boolean };

/** Of a column of figures, which stand at its right. */
export const figures = (text: string): Heading => ({ text, isNumber: true });
/** Of a column that is left out where the page is narrow; so are its cells, of class `cell-wide`. */
export const wide = (text: string): Heading => ({ text, isWide: true });
export const wideFigures = (text: string): Heading => ({ text, isNumber: true, isWide: true });

type TableProps = { headings: readonly Heading[]; foot?: ReactNode } & (
  | { children: ReactNode }
  /** Rows in groups, each with its own `tbody`. */
  | { bodies: ReactNode }
);

/** Whoever scrolls by keys would not get to what is out of sight otherwise. */
const REACHED_BY_KEYS = { tabIndex: 0 };

export function DataTable({ headings, foot, ...rows }: TableProps) {
  return (
    <div className="relative overflow-x-auto" {...REACHED_BY_KEYS}>
      <table className="data-table">
        <thead>
          <tr>
            {headings.map((heading) => {
              const {
                text,
                isNumber = false,
                isForReadersOnly = false,
                isWide = false,
              } = typeof heading === "string" ? { text: heading } : heading;
              return (
                <th
                  key={`${text} ${isForReadersOnly}`}
                  scope="col"
                  className={clsx(isNumber && "num", isWide && "cell-wide") || undefined}
                >
                  {isForReadersOnly ? <span className="sr-only">{text}</span> : text}
                </th>
              );
            })}
          </tr>
        </thead>
        {"bodies" in rows ? rows.bodies : <tbody>{rows.children}</tbody>}
        {foot !== undefined && <tfoot>{foot}</tfoot>}
      </table>
    </div>
  );
}
