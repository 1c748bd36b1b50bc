import { ServiceUnavailable } from '#libs/platform';

/** The store cannot be reached or refuses requests: 503. */
export class FilesUnavailable extends ServiceUnavailable {
  constructor(cause: unknown) {
    super('files', cause);
  }
}

/** There is no such file. */
export class FileMissing extends Error {
  constructor(readonly key: string) {
    super(`there is no file ${key}`);
  }
}

/** A file that was meant to be the first of its key already exists. */
export class FileExists extends Error {
  constructor(readonly key: string) {
    super(`the file ${key} already exists`);
  }
}

/** The file has more bytes than allowed. */
export class FileTooLarge extends Error {
  constructor(readonly maxBytes: number) {
    super(`the file has more than ${maxBytes} bytes`);
  }
}

/** The file has been replaced since it was read before. */
export class FileChanged extends Error {
  constructor(readonly key: string) {
    super(`the file ${key} has changed`);
  }
}

/** The range contains no byte of the file: 416 with the file's size (RFC 9110, 15.5.17). */
export class RangeBeyondFile extends Error {
  constructor(
    readonly key: string,
    readonly sizeBytes: number,
  ) {
    super(`the range is beyond the ${sizeBytes} bytes of ${key}`);
  }
}
