import {
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  Matches,
  Min,
} from 'class-validator';
import { IsCount, Nested, NestedList } from '../../members.js';
import { DATASETS, type Dataset } from '../../catalogue/datasets.js';
import { PLAN_DATASETS, type PlanDataset } from '../../catalogue/plan-datasets.js';
import { Paging } from '../paging/paging-answer.js';
import { IsNullable } from '../../nullable.js';

export const FILE_FORMATS = ['csv.gz', 'json.gz', 'zip'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;

/**
 * `withheld`: values were suppressed after the file was made. It is available again once it has been replaced, or found
 * to contain none of those values.
 */
export const FILE_STATES = ['published', 'withheld'] as const;
export type FileState = (typeof FILE_STATES)[number];

/** The file of one edition in one format. */
export class FileArtifact {
  @IsIn(FILE_FORMATS)
  format: FileFormat;

  @IsCount()
  bytes: number;

  @IsString()
  @Matches(/^[0-9a-f]{64}$/)
  sha256: string;
}

/** Facts about the latest edition of a dataset's file for one day. */
export class FileEntry {
  @IsIn(DATASETS)
  dataset: Dataset;

  /** The day (UTC) that the file covers; for a full download, the day on which it was made. */
  @Matches(DAY)
  date: string;

  /** Starts at 1 and rises each time the file is rebuilt. */
  @IsInt()
  @Min(1)
  edition: number;

  @IsCount()
  rows: number;

  /** Number of names that the previous file did not contain; null if there was no previous file. */
  @IsNullable()
  @IsCount()
  gained: number | null;

  /** Number of names that only the previous file contained; null if there was no previous file. */
  @IsNullable()
  @IsCount()
  lost: number | null;

  /** Increases when columns or members change their meaning. */
  @IsInt()
  @Min(1)
  schema_version: number;

  @IsIn(FILE_STATES)
  state: FileState;

  @IsISO8601()
  published_at: string;

  @IsArray()
  @NestedList(() => FileArtifact)
  artifacts: FileArtifact[];
}

/** A file as an account sees it. */
export class OwnFileEntry extends FileEntry {
  /** The part that a Domainer plan must include to give access to the file. */
  @IsIn(PLAN_DATASETS)
  plan_dataset: PlanDataset;

  /** Whether your plan includes the file. */
  @IsBoolean()
  is_included: boolean;
}

export class FilesAnswer {
  @IsBoolean()
  status: boolean;

  @IsArray()
  @NestedList(() => OwnFileEntry)
  files: OwnFileEntry[];

  @Nested(() => Paging)
  paging: Paging;
}

export const FILE_CADENCES = ['daily', 'weekly'] as const;
export type FileCadence = (typeof FILE_CADENCES)[number];

/** How up to date a dataset is. */
export class DatasetStatus {
  @IsIn(DATASETS)
  dataset: Dataset;

  @IsIn(PLAN_DATASETS)
  plan_dataset: PlanDataset;

  @IsIn(FILE_CADENCES)
  cadence: FileCadence;

  /** The oldest day that can be downloaded; null before the first file. */
  @IsNullable()
  @Matches(DAY)
  available_from: string | null;

  /** Absent before the first file. */
  @IsOptional()
  @Nested(() => FileEntry)
  latest?: FileEntry;
}

export class FilesStatus {
  @IsBoolean()
  status: boolean;

  @IsArray()
  @NestedList(() => DatasetStatus)
  datasets: DatasetStatus[];
}
