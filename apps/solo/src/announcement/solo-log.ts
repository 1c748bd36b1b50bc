import { createWriteStream, existsSync, renameSync, statSync } from 'node:fs';

const SIZE_MAX_BYTES = 50 * 1024 * 1024;

/** Where the services' log lines go, so that the terminal keeps showing the addresses. */
export interface SoloLog {
  path: string;
  write(line: string): void;
  close(): Promise<void>;
}

/** Appends to the log file; when it exceeds 50 MiB, it is rotated and replaces the previous one. */
export function openLog(path: string): SoloLog {
  if (existsSync(path) && statSync(path).size > SIZE_MAX_BYTES) renameSync(path, `${path}.1`);
  const stream = createWriteStream(path, { flags: 'a', mode: 0o600 });
  return {
    path,
    write: (line) => void stream.write(line),
    close: () => new Promise((resolve) => stream.end(resolve)),
  };
}
