import {
  type Dataset,
  type FileArtifact,
  type FileCadence,
  type FileEntry,
  type FileFormat,
  type SuppressionVersion,
  versionFor,
} from '#libs/contracts';
import { DAY_MS } from '#libs/platform';

export const KEPT_DAYS = 90;

export type StoredBytes = Pick<FileArtifact, 'bytes' | 'sha256'>;

export interface FileEdition {
  id: string;
  dataset: Dataset;
  /** `YYYY-MM-DD`. */
  day: string;
  edition: number;
  builtAt: Date;
  publishedAt: Date;
  rows: number;
  gained: number | null;
  lost: number | null;
  /** The version of the suppression list up to which no row contains a suppressed value. */
  suppressionVersion: number;
  schemaVersion: number;
  /** Ends with `/`. */
  folder: string;
  artifacts: FileArtifact[];
  sample: StoredBytes | null;
}

/** Datasets whose files cover no particular day and are built once a week. */
const FULL: ReadonlySet<Dataset> = new Set(['names', 'whois', 'whois_cleaned', 'dns']);

export function cadenceOf(dataset: Dataset): FileCadence {
  return FULL.has(dataset) ? 'weekly' : 'daily';
}

/** Returns the day of a time in UTC, as `YYYY-MM-DD`. */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

export function keptFrom(now: Date): string {
  return dayOf(new Date(now.getTime() - KEPT_DAYS * DAY_MS));
}

export const artifactKey = ({ folder }: Pick<FileEdition, 'folder'>, format: FileFormat) =>
  `${folder}rows.${format}`;
export const sampleKey = ({ folder }: Pick<FileEdition, 'folder'>) => `${folder}sample.csv.gz`;
/** Returns the path of the keys of a file's names, which are compared with those of the next file. */
export const namesKey = ({ folder }: Pick<FileEdition, 'folder'>) => `${folder}keys.bin`;

/**
 * Returns the path of the file with the keys and hashes of the rows. It shows which rows contain values that are
 * suppressed later.
 */
export const hashesKey = ({ folder }: Pick<FileEdition, 'folder'>) => `${folder}hashes.txt`;

/** Returns the name that browsers give to a saved file. */
export function fileName(
  { dataset, day }: Pick<FileEdition, 'dataset' | 'day'>,
  ending: string,
): string {
  return `${dataset.replaceAll('_', '-')}-${day}.${ending}`;
}

/** Whether a file may contain values that are suppressed now. */
export function isWithheld(
  { dataset, suppressionVersion }: Pick<FileEdition, 'dataset' | 'suppressionVersion'>,
  suppressed: SuppressionVersion,
): boolean {
  return suppressionVersion < versionFor(dataset, suppressed);
}

/** @param suppressed the current version of the suppression list. */
export function fileEntry(edition: FileEdition, suppressed: SuppressionVersion): FileEntry {
  const { dataset, day: date, rows, gained, lost, schemaVersion, artifacts, publishedAt } = edition;
  return {
    dataset,
    date,
    edition: edition.edition,
    rows,
    gained,
    lost,
    schema_version: schemaVersion,
    state: isWithheld(edition, suppressed) ? 'withheld' : 'published',
    published_at: publishedAt.toISOString(),
    artifacts,
  };
}
