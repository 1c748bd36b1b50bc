import { ServiceUnavailable } from '#libs/platform';

/** The error for a store that cannot be reached or refuses requests: 503. */
export class FilesUnavailable extends ServiceUnavailable {
  constructor(cause: unknown) {
    super('files', cause);
  }
}

export class FileMissing extends Error {
  constructor(readonly key: string) {
    super(`there is no file ${key}`);
  }
}

export class FileExists extends Error {
  constructor(readonly key: string) {
    super(`the file ${key} already exists`);
  }
}

export class FileTooLarge extends Error {
  constructor(readonly maxBytes: number) {
    super(`the file has more than ${maxBytes} bytes`);
  }
}

export class FileChanged extends Error {
  constructor(readonly key: string) {
    super(`the file ${key} has changed`);
  }
}

/** The error for a range that contains no byte of the file: 416 with the file's size (RFC 9110, 15.5.17). */
export class RangeBeyondFile extends Error {
  constructor(
    readonly key: string,
    readonly sizeBytes: number,
  ) {
    super(`the range is beyond the ${sizeBytes} bytes of ${key}`);
  }
}
