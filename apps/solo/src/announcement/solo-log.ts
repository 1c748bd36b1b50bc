import { type WriteStream, createWriteStream, existsSync, renameSync, statSync } from 'node:fs';

const SIZE_MAX_BYTES = 50 * 1024 * 1024;

/** The file for the services' log lines, which are kept off the terminal so that the addresses stay visible. */
export interface SoloLog {
  path: string;
  write(line: string): void;
  close(): Promise<void>;
}

/** Opens the log file to append lines. A file of more than 50 MiB becomes `<path>.1`, whose previous content is lost. */
export function openLog(path: string): SoloLog {
  let bytes = existsSync(path) ? statSync(path).size : 0;
  let stream: WriteStream | undefined;
  const startAfresh = () => {
    bytes = 0;
    stream?.end();
    stream = undefined;
    // A full disk may have prevented the file.
    if (existsSync(path)) renameSync(path, `${path}.1`);
  };
  const opened = () => {
    const opening = createWriteStream(path, { flags: 'a', mode: 0o600 });
    // On a full disk, lines are lost. The next line opens the file again.
    opening.on('error', () => {
      if (stream === opening) stream = undefined;
    });
    return opening;
  };
  return {
    path,
    write: (line) => {
      if (bytes > SIZE_MAX_BYTES) startAfresh();
      bytes += Buffer.byteLength(line);
      (stream ??= opened()).write(line);
    },
    close: () => new Promise((resolve) => (stream ? stream.end(() => resolve()) : resolve())),
  };
}
