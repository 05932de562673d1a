/** Says whether the heap has room for so many bytes more. The heap is the process's, and so is this. */
let hasRoom: (bytes: number) => boolean = () => true;

/** What decides; the VM's watch on memory sets it. */
export function setRoom(check: (bytes: number) => boolean): void {
  hasRoom = check;
}

/** Whether a collection may grow by `bytes` at once: what V8 cannot allocate ends the process. */
export function isRoomFor(bytes: number): boolean {
  return hasRoom(bytes);
}
