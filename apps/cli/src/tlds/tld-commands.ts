import { existsSync, renameSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { counted } from '#libs/platform';
import { CommandFault, systemFault } from '../command-fault.js';
import { type OutputOptions, answer } from '../output.js';
import {
  Registries,
  certaintyOf,
  deriveTables,
  refuseSuspicious,
  registryChanges,
  tablesText,
} from '#libs/resolvers';

interface TableOptions extends OutputOptions {
  tables?: string;
}

export function tldCommands(program: Command): void {
  const tlds = program
    .command('tlds')
    .description('tables of registries by top-level domain: show and refresh them');
  tlds
    .command('show [tld]')
    .description('show which servers are queried for one or all top-level domains, or why none is')
    .option('--tables <file>', 'registry tables; if omitted, the tables of this version')
    .action((tld: string | undefined, options: TableOptions) => show(tld, options));
  tlds
    .command('refresh <folder>')
    .description(
      "derive tables from IANA's files in a folder (dns.json, tlds-alpha-by-domain.txt) and a list of port-43 hosts (whois-servers-tld.json), show the changes, and write them with --write",
    )
    .option(
      '--tables <file>',
      'tables to compare with; if omitted, the file of --write or, if there is none, the tables of this version',
    )
    .option('--write <file>', 'file for the new tables: the value of LOOKUP_REGISTRIES_FILE')
    .action((folder: string, options: TableOptions & { write?: string }) =>
      refresh(folder, options),
    );
}

function registriesOf(file: string | undefined): Registries {
  return file === undefined ? Registries.vendored() : Registries.fromFile(file);
}

/**
 * Shows the route of the given top-level domain, or of each. @throws CommandFault if it is not in the tables; Error if
 * the tables cannot be read.
 */
function show(wanted: string | undefined, options: TableOptions): void {
  const tld = wanted?.toLowerCase().replace(/^\./, '');
  const registries = registriesOf(options.tables);
  const routes = registries.routes().filter((route) => tld === undefined || route.tld === tld);
  if (routes.length === 0) {
    throw new CommandFault(
      `.${tld} is not a top-level domain in these tables of ${registries.tables.publishedOn}. ` +
        '`tlds show` lists all; a new domain needs `tlds refresh`. Give only the top-level domain, such as com.',
    );
  }
  const shown = routes.map((route) => ({ ...route, ...certaintyOf(route) }));
  answer(options, shown, () =>
    shown.map(({ tld: name, rdapBaseUrl, whoisServer, whoisReading, reason }) => {
      const whois = whoisServer && `whois43 ${whoisServer} (${whoisReading})`;
      const asked = [rdapBaseUrl && `rdap ${rdapBaseUrl}`, whois].filter(Boolean);
      return `.${name}  ${asked.join('  ') || reason}`;
    }),
  );
}

/**
 * Derives the tables from the files in a folder. @throws CommandFault if files are missing, damaged or suspiciously
 * old, or if suspiciously many entries are missing or have moved.
 */
function tablesIn(folder: string, before: Registries) {
  try {
    const tables = deriveTables(folder);
    refuseSuspicious(before.tables, tables);
    return tables;
  } catch (error) {
    const text = systemFault(error) ?? `${folder}: ${(error as Error).message}`;
    throw new CommandFault(text, { cause: error });
  }
}

/**
 * Derives new tables, prints the changes and, with `--write`, replaces the file. @throws the errors of `tablesIn`;
 * Error if the known tables are missing or damaged; file system errors.
 */
function refresh(folder: string, options: TableOptions & { write?: string }): void {
  const { tables: known, write } = options;
  const written = write !== undefined && existsSync(write) ? write : undefined;
  const before = registriesOf(known ?? written);
  const tables = tablesIn(folder, before);
  const changes = registryChanges(before.tables, tables);
  const coverage = new Registries(tables).coverage();
  if (write !== undefined) {
    // A service that starts at this moment finds either the complete old tables or the complete new tables.
    writeFileSync(`${write}.new`, tablesText(tables));
    renameSync(`${write}.new`, write);
  }
  const { publishedOn: since } = before.tables;
  const { tlds, rdap, whois, unsupported } = coverage;
  answer(options, { since, changes, coverage, written: write ?? null }, () => [
    ...changes,
    `${counted(changes.length, 'change')} since ${since}; ${tlds} top-level domains: ` +
      `${rdap} with RDAP, ${whois} with port 43, ${unsupported} with neither` +
      (write === undefined ? '; nothing written' : `; written to ${write}`),
  ]);
}
