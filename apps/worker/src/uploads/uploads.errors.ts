import { Problem } from '#libs/platform';
import type { UploadRefusal } from '#libs/contracts';

export class UploadsFull extends Problem {
  constructor(max: number) {
    super({
      code: 'uploads_full',
      status: 409,
      detail: `An account can have at most ${max} uploads. Delete one first.`,
    });
  }
}

export class TooManyUnreadBytes extends Problem {
  constructor() {
    super({
      code: 'uploads_full',
      status: 409,
      detail:
        'Together, the uploads of an account that are incomplete or being read can have at most 1.5 GiB. Complete or delete one first.',
    });
  }
}

export class TooManyUploadsADay extends Problem {
  constructor(max: number) {
    super({
      code: 'uploads_full',
      status: 409,
      detail: `Within a day, an account can begin at most ${max} uploads, including deleted ones. Try again tomorrow.`,
    });
  }
}

export class TooManyLinesADay extends Problem {
  constructor(max: number) {
    super({
      code: 'uploads_full',
      status: 409,
      detail: `Within a day, at most ${max.toLocaleString('en')} lines are read from the uploads of an account, including deleted uploads. Try again tomorrow.`,
    });
  }
}

export class UploadInUse extends Problem {
  constructor() {
    super({
      code: 'upload_in_use',
      status: 409,
      detail: 'A job that has not started yet needs this upload.',
    });
  }
}

export class UploadNotReady extends Problem {
  constructor() {
    super({
      code: 'upload_not_ready',
      status: 409,
      detail: 'The upload is incomplete, or its names are still being counted. Try again later.',
      retryable: true,
    });
  }
}

export class UploadIsRefused extends Problem {
  constructor({ reason, detail }: UploadRefusal) {
    super({ code: 'upload_refused', status: 422, detail, members: { reason } });
  }
}

/**
 * The answer to a client that has disconnected. The client never sees it, but without it the disconnect would be logged
 * as a failure of the service.
 */
export class FormCutOff extends Problem {
  constructor() {
    super({
      code: 'invalid_request',
      status: 400,
      detail: 'The connection ended before the form was complete.',
    });
  }
}

export class NoFileInForm extends Problem {
  constructor() {
    super({
      code: 'invalid_request',
      status: 400,
      detail: 'The form must contain exactly one file.',
      errors: [{ field: 'file', message: 'must be exactly one file' }],
    });
  }
}
