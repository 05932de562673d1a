/** What one size costs: all of it in milliseconds, and further figures for the table. */
export interface Cost {
  ms: number;
  cells: Record<string, number>;
}

/** A kind of growth that is measured. */
export interface Section {
  name: string;
  title: string;
  /** What is counted in the first column. */
  unit: string;
  sizes: readonly number[];
  measure(size: number): Promise<Cost>;
}
