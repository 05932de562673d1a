/** UTF-16 units that are joined to one block. */
const BLOCK = 65_536;

/**
 * A text made of many parts. V8 keeps appended texts as a tree: the garbage collector follows each part, and the first
 * use of the text copies all of them at once, 0.3 s for a million. Blocks are copied as soon as they are full.
 */
export class BlockText {
  private blocks = '';
  private block = '';

  get length(): number {
    return this.blocks.length + this.block.length;
  }

  /** Appends a part. */
  add(part: string): void {
    this.block += part;
    if (this.block.length >= BLOCK) this.flush();
  }

  /** The whole text. */
  end(): string {
    this.flush();
    return this.blocks;
  }

  private flush(): void {
    // V8 makes a text one block of memory before it looks for a number in it.
    Number(this.block);
    this.blocks += this.block;
    this.block = '';
  }
}
