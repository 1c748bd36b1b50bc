import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { DataFolder } from '../data-folder/data-folder.js';
import { Secrets } from '../data-folder/secrets.js';
import { SERVER_FOLDER, recordServerFolder } from '../data-folder/server-folder.js';
import { SoloDatabase } from './solo-database.js';

it('a data folder whose database is missing does not get an empty one', async () => {
  const folder = new DataFolder(mkdtempSync(join(tmpdir(), 'solo-database-')));
  recordServerFolder(folder, folder.file(SERVER_FOLDER));
  const opening = SoloDatabase.open({ folder, secrets: Secrets.load(folder) }).then(
    async (database) => database.stop(),
  );
  try {
    await expect(opening).rejects.toThrow('the database is missing');
    expect(existsSync(folder.file(join(SERVER_FOLDER, 'pgdata')))).toBe(false);
  } finally {
    rmSync(folder.path, { recursive: true, force: true });
  }
});
