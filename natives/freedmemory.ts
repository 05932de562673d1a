/**
 * Lets glibc keep `bytes` of freed memory, less than 64 MB. By default it returns all above 128 KB to the system and
 * gets it back page by page. It keeps twice the size of the largest block that was freed, up to 32 MB (mallopt(3),
 * M_TRIM_THRESHOLD). The block here is freed at the next collection; nothing writes to it, so it takes no memory.
 */
export function keepFreedMemory(bytes: number): void {
  void new ArrayBuffer(bytes / 2);
}
