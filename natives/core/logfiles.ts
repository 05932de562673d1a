/** Files to which this process appends lines. */
interface LogFiles {
  /** Opens them again, under the same paths. */
  reopen(): void;
  /** Resolves when all lines taken so far have been written. */
  flush(): Promise<void>;
}

/** Milliseconds that a program waits at its end for the files of its logs. */
const FLUSH_MS = 2000;

let files: LogFiles | null = null;

/** Called once, when the first file of a log is opened. */
export function setLogFiles(given: LogFiles): void {
  files = given;
}

/** Opens the files of logs again: another process has renamed them. */
export function reopenLogs(): void {
  files?.reopen();
}

/** Calls `then` once the files of logs are written, at once if there are none. */
export function whenLogsAreWritten(then: () => void): void {
  if (files === null) {
    then();
    return;
  }
  const timer = setTimeout(then, FLUSH_MS);
  void files.flush().then(() => {
    clearTimeout(timer);
    then();
  });
}
