import type { JSX } from 'preact';

interface HeadProps {
  readonly columns: readonly string[];
}

/** The titles of a table's columns. */
export function Head({ columns }: HeadProps): JSX.Element {
  return (
    <thead>
      <tr>
        {columns.map((column) => (
          <th key={column} scope="col">
            {column}
          </th>
        ))}
      </tr>
    </thead>
  );
}
