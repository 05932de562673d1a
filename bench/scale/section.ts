/** Cost at one size: total milliseconds, and further figures for the table. */
export interface Cost {
  ms: number;
  cells: Record<string, number>;
}

/** A measured kind of growth. */
export interface Section {
  name: string;
  title: string;
  /** Unit of the first column. */
  unit: string;
  sizes: readonly number[];
  measure(size: number): Promise<Cost>;
}
