/** Lines of generated code, and the names of the values that it uses. Writes nothing until `emitting` is set. */
export class CodeWriter {
  readonly lines: string[] = [];
  /** For each line, the address of its instruction; −1: none. */
  readonly pcs: number[] = [];
  readonly values = new Map<string, unknown>();
  /** False in the walks that only analyse the function. */
  emitting = false;
  /** Index and address of the instruction being generated; address −1: none. */
  at = 0;
  pc = -1;
  private readonly names = new Map<unknown, string>();

  /** Forgets what was written, and writes from now on. */
  restart(): void {
    this.lines.length = this.pcs.length = 0;
    this.values.clear();
    this.names.clear();
    this.emitting = true;
  }

  /** Appends a line. */
  out(line: string): void {
    if (!this.emitting) return;
    this.lines.push(line);
    this.pcs.push(this.pc);
  }

  /** The name of a value within the code. */
  value(value: unknown): string {
    if (!this.emitting) return 'k';
    let name = this.names.get(value);
    if (name === undefined) {
      name = `k${this.names.size}`;
      this.names.set(value, name);
      this.values.set(name, value);
    }
    return name;
  }
}
