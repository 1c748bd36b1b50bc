import { join } from 'node:path';
import type { Clock } from '#libs/platform';
import { checkFileKey } from './file-key.js';
import type { FileStore } from './file-store.js';
import { type FilesConfig, bucketOf } from './files.config.js';
import { FolderStore } from './folder-store.js';

/**
 * Opens the configured store for one service, whose files are below a folder named after the service. The S3 client is
 * loaded only if it is used.
 */
export async function openFiles(
  config: FilesConfig,
  owner: string,
  clock: Clock,
): Promise<FileStore> {
  const place = bucketOf(config);
  checkFileKey(owner);
  if (!place) return FolderStore.open(join(config.filesLocation, owner), clock);
  const { S3Store } = await import('./s3/s3-store.js');
  return S3Store.open(config, { ...place, prefix: `${place.prefix}${owner}/` }, clock);
}

/**
 * Opens another party's files in a bucket, below the prefix of the location, for reading.
 * @throws RangeError for a location that is not a bucket.
 */
export async function openBucket(config: FilesConfig, clock: Clock): Promise<FileStore> {
  const place = bucketOf(config);
  if (!place) throw new RangeError('not a bucket');
  const { S3Store } = await import('./s3/s3-store.js');
  return S3Store.open(config, { ...place, isOfOthers: true }, clock);
}
