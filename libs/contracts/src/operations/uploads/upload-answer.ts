import { IsBoolean, IsIn, IsISO8601, IsOptional, IsString, IsUUID } from 'class-validator';
import { IsCount, Nested, NestedList, NullableText } from '../../members.js';
import { InvalidLine } from '../jobs/job-answer.js';
import { Paging } from '../paging/paging-answer.js';
import { IsNullable } from '../../nullable.js';

export const UPLOAD_STATES = ['receiving', 'reading', 'ready', 'refused'] as const;
export type UploadState = (typeof UPLOAD_STATES)[number];

export const UPLOAD_REFUSALS = [
  'too_many_lines',
  'too_large_unpacked',
  'not_text',
  'nested_archive',
  'not_one_entry',
  'broken_archive',
  'no_names',
  'not_read',
] as const;
export type UploadRefusalReason = (typeof UPLOAD_REFUSALS)[number];

export class UploadCounts {
  /** Number of lines that are not blank, after the header. */
  @IsCount()
  lines: number;

  /** Number of unique names in these lines. */
  @IsCount()
  unique: number;

  @IsCount()
  invalid: number;

  @IsCount()
  duplicates: number;
}

export class UploadRefusal {
  @IsIn(UPLOAD_REFUSALS)
  reason: UploadRefusalReason;

  /** The reason, and what to do. */
  @IsString()
  detail: string;
}

export class UploadAnswer {
  @IsBoolean()
  status: boolean;

  @IsUUID()
  id: string;

  /** `receiving` until the last byte has arrived, `reading` while its names are counted. */
  @IsIn(UPLOAD_STATES)
  state: UploadState;

  /** The file name given by its sender; null if there is none. */
  @NullableText()
  file_name: string | null;

  /** Null until the size is known. */
  @IsNullable()
  @IsCount()
  size_bytes: number | null;

  @IsCount()
  received_bytes: number;

  /** The counts of an upload that is ready. */
  @IsOptional()
  @Nested(() => UploadCounts)
  counts?: UploadCounts;

  /** The first 100 lines without a domain name. */
  @NestedList(() => InvalidLine)
  invalid_lines: InvalidLine[];

  /** Why the upload was rejected; absent in every other state. */
  @IsOptional()
  @Nested(() => UploadRefusal)
  refusal?: UploadRefusal;

  @IsISO8601()
  created_at: string;

  /** When the upload is deleted. */
  @IsISO8601()
  expires_at: string;
}

export class UploadsAnswer {
  @IsBoolean()
  status: boolean;

  /** Newest first. */
  @NestedList(() => UploadAnswer)
  uploads: UploadAnswer[];

  @Nested(() => Paging)
  paging: Paging;
}
