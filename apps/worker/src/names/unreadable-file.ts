import type { UploadRefusalReason } from '#libs/contracts';

const DETAILS: Readonly<Record<UploadRefusalReason, string>> = {
  too_many_lines:
    'The file has more than 3,000,000 lines with names, or more than 6,000,000 including blank lines. Split it into several files.',
  too_large_unpacked: 'The file is larger than 768 MiB when unpacked. Split it into several files.',
  not_text: 'The file is not UTF-8 text. Send text or CSV, either plain or as gzip or ZIP.',
  nested_archive: 'The archive contains another archive. Compress the text or CSV file itself.',
  not_one_entry:
    'The ZIP file must contain exactly one file, and that file must not be a folder, a link or encrypted. The Finder on macOS adds a second file; if you use it, send the file unpacked or as gzip.',
  broken_archive: 'The archive is incomplete or damaged. Compress and send the file again.',
  no_names: 'The file contains no domain name. Put one name on each line.',
  not_read:
    'The service could not read the file because of an internal fault. Send the file again, and contact support if it is rejected again.',
};

/**
 * Maximum number of lines in all uploads of an account: as many as two files of maximum size contain. Otherwise, its
 * ten uploads could have 30,000,000 lines, which take about 10 GB in the database, although the packed files have only
 * a hundredth of that size.
 */
export const LINES_OF_ACCOUNT_MAX = 6_000_000;

/** The reason why an uploaded file is rejected. */
export class UnreadableFile extends Error {
  readonly detail: string;

  constructor(
    readonly reason: UploadRefusalReason,
    cause?: unknown,
    detail: string = DETAILS[reason],
  ) {
    super(reason, { cause });
    this.detail = detail;
  }

  /** Returns the fault of a file that, together with the account's other uploads, exceeds the limit on lines. */
  static beyondAccount(): UnreadableFile {
    const detail =
      'With this file, the uploads of your account would have more than 6,000,000 lines. Delete uploads that you no longer need, and send the file again.';
    return new UnreadableFile('too_many_lines', undefined, detail);
  }

  /** Returns the fault of a file whose account has had too many lines read today. */
  static beyondDay(): UnreadableFile {
    const detail =
      'The lines read today from the uploads of your account have reached their limit. Send the file again tomorrow.';
    return new UnreadableFile('too_many_lines', undefined, detail);
  }

  /** Returns the fault of a file that could not be read in several attempts, for a reason outside the file. */
  static afterFaults(): UnreadableFile {
    return new UnreadableFile('not_read');
  }

  /** Returns the fault of a file that could not be read within the time limit. */
  static tooSlow(): UnreadableFile {
    const detail = 'Reading the file took too long. Split it into several files.';
    return new UnreadableFile('too_many_lines', undefined, detail);
  }
}
