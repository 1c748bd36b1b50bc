import { EmbeddedServer } from '#libs/database';
import type { DataFolder } from './data-folder.js';

/** The folder in the data folder in which the database server works, if the server's user can reach it. */
export const SERVER_FOLDER = 'postgres';
const FILE = 'postgres.json';

export function recordServerFolder(folder: DataFolder, serverFolder: string): void {
  folder.writePrivateJson(FILE, { folder: serverFolder });
}

/** Returns the folder in which the server of this installation last worked; undefined if there was none. */
export function recordedServerFolder(folder: DataFolder): string | undefined {
  return folder.readJson<{ folder: string }>(FILE)?.folder;
}

/**
 * Returns the recorded folder, unless it belongs to another data folder: in a copy of a data folder, the record still
 * names the server of the original.
 */
export function ownServerFolder(folder: DataFolder): string | undefined {
  const recorded = recordedServerFolder(folder);
  const isOwn =
    recorded !== undefined && EmbeddedServer.isFolderOf(folder.file(SERVER_FOLDER), recorded);
  return isOwn ? recorded : undefined;
}
