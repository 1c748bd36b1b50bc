import { createReadStream, renameSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import type { Command } from 'commander';
import { counted } from '#libs/platform';
import { CommandFault, systemFault } from '../command-fault.js';
import { type OutputOptions, answer } from '../output.js';
import { originatedPrefixes } from './mrt-dump.js';

const LINES_AT_A_TIME = 10_000;

export function routingCommands(program: Command): void {
  const routing = program
    .command('routing')
    .description('routing tables for lookups of addresses and AS numbers');
  routing
    .command('convert <dump>')
    .description(
      'convert a routing table dump (MRT, TABLE_DUMP_V2; also .gz) to prefixes and their origins, for LOOKUP_PREFIX_ORIGINS_FILE',
    )
    .requiredOption('--write <file>', 'file for the prefixes')
    .action((dump: string, options: OutputOptions & { write: string }) => convert(dump, options));
}

async function convert(
  dump: string,
  { write, ...output }: OutputOptions & { write: string },
): Promise<void> {
  // A service that starts at this moment finds either the complete old file or the complete new file.
  const file = await open(`${write}.new`, 'w');
  let prefixes = 0;
  try {
    let lines: string[] = [];
    for await (const { address, prefixLength, origins } of originatedPrefixes(unpacked(dump))) {
      lines.push(`${address}\t${prefixLength}\t${origins.join('_')}\n`);
      prefixes += 1;
      if (lines.length < LINES_AT_A_TIME) continue;
      await file.write(lines.join(''));
      lines = [];
    }
    await file.write(lines.join(''));
    await file.sync();
  } catch (error) {
    await rm(`${write}.new`, { force: true });
    const text = systemFault(error) ?? `${dump}: ${(error as Error).message}`;
    throw new CommandFault(text, { cause: error });
  } finally {
    await file.close();
  }
  renameSync(`${write}.new`, write);
  answer(output, { prefixes }, () => [
    `${counted(prefixes, 'prefix', 'prefixes')} written to ${write}`,
  ]);
}

function unpacked(dump: string): AsyncIterable<Buffer> {
  const file = createReadStream(dump, { highWaterMark: 1024 * 1024 });
  if (!dump.endsWith('.gz')) return file;
  const content = file.pipe(createGunzip());
  // An error while reading the file must end the whole command, not only the decompression.
  file.on('error', (error) => content.destroy(error));
  return content;
}
