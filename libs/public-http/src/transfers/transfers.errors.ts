import { Problem } from '#libs/platform';

export class TooManyDownloads extends Problem {
  constructor(max: number) {
    super({
      code: 'too_many_downloads',
      status: 429,
      detail: `${max} downloads are already in progress, which is the limit. Start the next download when one of them has ended.`,
      retryAfterSeconds: 10,
    });
  }
}

export class TooManyUploads extends Problem {
  constructor(max: number) {
    super({
      code: 'too_many_uploads',
      status: 429,
      detail: `${max} uploads are already in progress, which is the limit. Start the next upload when one of them has ended.`,
      retryAfterSeconds: 10,
    });
  }
}

export class RangeNotSatisfiable extends Problem {
  constructor() {
    super({
      code: 'range_not_satisfiable',
      status: 416,
      detail: 'The file does not contain the requested range. Content-Range gives its size.',
    });
  }
}

export class UploadOffsetMismatch extends Problem {
  constructor() {
    super({
      code: 'upload_offset_mismatch',
      status: 409,
      detail: 'Upload-Offset differs from the number of bytes stored. Use HEAD to get the offset.',
    });
  }
}

export class UploadGone extends Problem {
  constructor() {
    super({
      code: 'upload_gone',
      status: 410,
      detail: 'This upload has expired or was deleted. Start a new one.',
    });
  }
}

export class TusVersionNotSupported extends Problem {
  constructor() {
    super({
      code: 'tus_version_not_supported',
      status: 412,
      detail: 'Send the header "Tus-Resumable: 1.0.0": no other version of tus is supported.',
    });
  }
}

export class UploadLocked extends Problem {
  constructor() {
    super({
      code: 'upload_locked',
      status: 423,
      detail: 'Another request is writing to this upload. Try again when that request has ended.',
      retryable: true,
    });
  }
}

export class UploadRefused extends Problem {
  constructor() {
    super({
      code: 'invalid_request',
      status: 400,
      detail: 'The request is not valid: its headers do not fit this upload.',
    });
  }
}
