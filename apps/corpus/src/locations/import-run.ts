import { type Lines, linesOf } from '../formats/lines.js';
import { type FileLimits, unpackedChunks } from './file-check.js';
import { BadFile, type ImportFile, type ImportedSource } from './import-file.js';

/** If fewer names than this are missing, a list is accepted, whatever the `turnoverMax` of its source. */
const GONE_COUNTED_FROM = 100;

export interface ImportRun {
  source: ImportedSource;
  file: ImportFile;
  path: string;
  limits: FileLimits;
  signal: AbortSignal;
}

/** Yields the lines of a run's file, or of another file that is compared with it. */
export function linesIn(
  { path: ownPath, limits, signal }: Pick<ImportRun, 'path' | 'limits' | 'signal'>,
  path = ownPath,
): AsyncGenerator<Lines, void, void> {
  return linesOf(unpackedChunks(path, limits, signal));
}

/** Returns the error for a file that is cut off. */
export function endsWithinLine({ name }: ImportedSource): BadFile {
  return new BadFile(
    `It ends within a line. Fetch it again, or allow it: cli source set ${name} --open-ended yes`,
  );
}

/**
 * Checks that at least half of a file's lines could be read.
 * @throws BadFile otherwise, because the file must be of another kind.
 */
export function refuseUnreadable({ source, file }: ImportRun, badLines: number): void {
  if (badLines * 2 <= file.lines) return;
  throw new BadFile(`${badLines} of ${file.lines} lines cannot be read as "${source.kind}".`);
}

/**
 * Checks how many names a list lacks. @param listed the number of names before; `gone` of them are missing.
 * @throws BadFile for a list that seems truncated.
 */
export function refuseShrunken(
  { name, turnoverMax }: ImportedSource,
  { gone, listed }: { gone: number; listed: number },
): void {
  if (gone < GONE_COUNTED_FROM || gone <= listed * turnoverMax) return;
  const percent = Math.ceil((100 * gone) / listed);
  throw new BadFile(
    `It lacks ${gone} of the ${listed} listed names, so it seems truncated. If it is complete, allow the change: cli source set ${name} --turnover ${percent}`,
  );
}
