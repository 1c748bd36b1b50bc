import { existsSync, readdirSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { EmbeddedServer } from '#libs/database';
import { loadConfig } from '#libs/platform';
import { commandFor } from './checks/before-build.js';
import { DataFolder } from './data-folder/data-folder.js';
import { ownServerFolder, recordedServerFolder } from './data-folder/server-folder.js';
import { FolderLock } from './checks/folder-lock.js';
import { SoloConfig } from './solo.config.js';

const EMPTY = 'The next "npm start" begins with an empty installation.';
const OWN_SERVER =
  'Data on your own PostgreSQL server (DATABASE_ADMIN_URL) was not removed, and cannot be used without the removed secrets: drop its database domain_data before the next "npm start".';

/**
 * Runs `npm run reset`: removes all data of one installation. Asks first, unless called with
 * `--yes`.
 * @returns the exit code.
 */
async function reset(): Promise<number> {
  const folder = new DataFolder(loadConfig(SoloConfig).dataFolder);
  if (!existsSync(folder.path)) return say(`There is no data to remove at ${folder.path}.`, 0);
  if (!existsSync(folder.file('secrets.json'))) {
    return say(`${folder.path} is not a data folder of this product: nothing was removed.`, 1);
  }
  const holder = FolderLock.holder(folder);
  if (holder !== undefined) {
    return say(
      `The product is running (process ${holder}). Stop it first: ${commandFor(folder.path, 'npm stop')}`,
      1,
    );
  }
  const clusters = clustersIn(folder);
  for (const cluster of clusters) {
    const pid = FolderLock.holder(cluster);
    if (pid === undefined) continue;
    return say(
      `A cluster is running in ${cluster.path} (process ${pid}). Stop it first: kill ${pid}`,
      1,
    );
  }
  if (!process.argv.includes('--yes') && !(await isConfirmed(folder, clusters))) {
    return say('Nothing was removed.', 1);
  }
  const hadServer = recordedServerFolder(folder) !== undefined;
  const serverFolder = ownServerFolder(folder);
  if (serverFolder) {
    // A server that survived a kill -9 would continue to write into a removed folder.
    await EmbeddedServer.stopOrphan(serverFolder);
    rmSync(serverFolder, { recursive: true, force: true });
  }
  rmSync(folder.path, { recursive: true, force: true });
  return say(`Removed ${folder.path}. ${hadServer ? EMPTY : OWN_SERVER}`, 0);
}

/**
 * Lists the clusters in a folder. `npm run cluster` keeps its data within solo's folder, unless another folder is set.
 */
function clustersIn(folder: DataFolder): DataFolder[] {
  return readdirSync(folder.path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => new DataFolder(folder.file(name)))
    .filter((inner) => existsSync(inner.file('secrets.json')));
}

async function isConfirmed({ path }: DataFolder, clusters: DataFolder[]): Promise<boolean> {
  if (!process.stdin.isTTY)
    return say('To remove without this question: npm run reset -- --yes', false);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const also = clusters.map((cluster) => `, and the cluster's data in ${cluster.path}`).join('');
  const answer = await terminal.question(
    `This removes every account, key, credit and secret in ${path}${also}. Type "yes": `,
  );
  terminal.close();
  return answer.trim() === 'yes';
}

function say<T>(text: string, result: T): T {
  process.stdout.write(`${text}\n`);
  return result;
}

process.exitCode = await reset();
