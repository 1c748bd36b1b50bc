import type { ImportKind } from '../formats/reader.js';

export interface ImportedSource {
  id: number;
  name: string;
  kind: ImportKind;
  /** A folder on the importing machine (absolute path), an `https:` address of one file or log, or a folder on S3. */
  location: string;
  /** Null if the source runs only on request. */
  everyMs: number | null;
  /** The kind of abuse that a block list names; null for other sources. */
  category: string | null;
  /** The maximum share of the names in a zone or block list that the next version may lack. */
  turnoverMax: number;
  /** Whether the last line of the source's files may lack a line ending. */
  isOpenEnded: boolean;
  /** The public key of a log (DER, base64) that must have signed its checkpoints; null for no check. */
  logKey: string | null;
}

export interface BadLine {
  line: number;
  /** The beginning of the line; empty if the line is too long or not UTF-8. */
  text: string;
}

export interface ImportFile {
  id: string;
  sourceId: number;
  file: string;
  version: string;
  digest: string;
  observedAt: Date;
  state: 'loading' | 'loaded' | 'repeated' | 'failed';
  lines: number;
  position: number;
  slices: number;
  /** Whether only the difference from the previous zone file is staged. */
  isDifference: boolean;
}

/** Thrown for a file or location from which nothing can be imported as it is. The message is for the operator. */
export class BadFile extends Error {}

/** Thrown if the host does not have the file. */
export class MissingFile extends BadFile {}

/** Thrown because another process has continued the import of the file, or the source has been removed. */
export class Overtaken extends Error {
  constructor() {
    super('another process has continued this import, or its source has been removed');
  }
}
