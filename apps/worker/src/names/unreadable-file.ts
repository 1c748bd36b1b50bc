import type { UploadRefusalReason } from '#libs/contracts';

const DETAILS: Readonly<Record<UploadRefusalReason, string>> = {
  too_many_lines: 'The file has more than 3,000,000 lines with names. Send it as several files.',
  too_large_unpacked: 'The file has more than 768 MiB when it is unpacked. Send it as several.',
  not_text: 'The file is no text in UTF-8. Send text or CSV, plain, as gzip or as zip.',
  nested_archive: 'The archive holds another archive. Pack the text or CSV file itself.',
  not_one_entry: 'The zip must hold exactly one file, which is no folder, link or secret.',
  broken_archive: 'The archive is incomplete or damaged. Pack and send the file again.',
  no_names: 'None of its lines holds a domain name. Put one name on each line.',
};

/** A file that cannot be read as a list of names: no repetition helps. */
export class UnreadableFile extends Error {
  readonly detail: string;

  constructor(
    readonly reason: UploadRefusalReason,
    cause?: unknown,
  ) {
    super(reason, { cause });
    this.detail = DETAILS[reason];
  }
}
