import { setTimeout as pause } from 'node:timers/promises';
import { EmbeddedServer } from '#libs/database';
import { loadConfig, monotonicMs } from '#libs/platform';
import { startOf } from './checks/before-build.js';
import { DataFolder } from './data-folder/data-folder.js';
import { ownServerFolder } from './data-folder/server-folder.js';
import { FolderLock } from './checks/folder-lock.js';
import { SoloConfig } from './solo.config.js';

/** The time limit of a stop: longer than draining a gateway and stopping PostgreSQL together take. */
const WAIT_MAX_MS = 120_000;
const POLL_MS = 100;

/**
 * Runs `npm stop`: drains the instance of the data folder and returns once its process has ended,
 * so that the folder can be copied or the code updated. If an instance was killed, stops the
 * database server that outlived it.
 * @returns the exit code.
 */
async function stop(): Promise<number> {
  const folder = new DataFolder(loadConfig(SoloConfig).dataFolder);
  const holder = FolderLock.holder(folder);
  if (holder === undefined) {
    const serverFolder = ownServerFolder(folder);
    const isOrphan = serverFolder !== undefined && (await EmbeddedServer.stopOrphan(serverFolder));
    if (isOrphan)
      return say('Stopped the database server that a killed process had left running.', 0);
    return say(`Nothing is running in ${folder.path}.`, 0);
  }
  const startedAt = startOf(holder);
  process.kill(holder, 'SIGTERM');
  say('Stopping …', 0);
  const until = monotonicMs() + WAIT_MAX_MS;
  while (startOf(holder) === startedAt) {
    if (monotonicMs() > until) {
      return say(`Process ${holder} has not ended in two minutes; solo.log says why.`, 1);
    }
    await pause(POLL_MS);
  }
  return say('Stopped.', 0);
}

function say(text: string, result: number): number {
  process.stdout.write(`${text}\n`);
  return result;
}

process.exitCode = await stop();
