import { existsSync, renameSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { NotFound } from '#libs/platform';
import {
  Registries,
  certaintyOf,
  deriveTables,
  refuseSuspicious,
  registryChanges,
  tablesText,
} from '#libs/resolvers';

/** `tlds`: which registry answers for which top-level domain, and new tables of them. */
export function tldCommands(program: Command): void {
  const tlds = program.command('tlds').description('who answers for which top-level domain');
  tlds
    .command('show [tld]')
    .description('what is asked for a top-level domain or for each, and why nothing is')
    .option('--tables <file>', 'tables of registries; those of this version by default')
    .action((tld: string | undefined, { tables }: { tables?: string }) => {
      process.stdout.write(show(registriesOf(tables), tld));
    });
  tlds
    .command('refresh <folder>')
    .description(
      'derive tables from the files of IANA in a folder (dns.json, tlds-alpha-by-domain.txt) and a list of ' +
        'port-43 hosts (whois-servers-tld.json), show what changes, and write them with --write',
    )
    .option('--tables <file>', 'tables to compare with; those of this version by default')
    .option('--write <file>', 'where the new tables go: the value of LOOKUP_REGISTRIES_FILE')
    .action((folder: string, { tables, write }: { tables?: string; write?: string }) => {
      process.stdout.write(refresh(folder, registriesOf(tables ?? write), write));
    });
}

function registriesOf(file: string | undefined): Registries {
  return file !== undefined && existsSync(file) ? Registries.fromFile(file) : Registries.vendored();
}

/** A line for each top-level domain. @throws NotFound for one that there is not. */
function show(registries: Registries, tld: string | undefined): string {
  const routes = registries.routes().filter((route) => tld === undefined || route.tld === tld);
  if (routes.length === 0) throw new NotFound();
  const lines = routes.map((route) => {
    const { rdapBaseUrl, whoisServer, reason } = route;
    const { whoisReading } = certaintyOf(route);
    const whois = whoisServer && `whois43 ${whoisServer} (${whoisReading})`;
    const asked = [rdapBaseUrl && `rdap ${rdapBaseUrl}`, whois].filter(Boolean);
    return `.${route.tld}  ${asked.join('  ') || reason}\n`;
  });
  return lines.join('');
}

/** @throws Error for files that are damaged, or that lost, moved or aged suspiciously much. */
function refresh(folder: string, before: Registries, write: string | undefined): string {
  const tables = deriveTables(folder);
  const changes = registryChanges(before.tables, tables);
  refuseSuspicious(before.tables, tables);
  const { tlds, rdap, whois, unsupported } = new Registries(tables).coverage();
  if (write !== undefined) {
    // A service that starts meanwhile finds the old tables or the new ones.
    writeFileSync(`${write}.new`, tablesText(tables));
    renameSync(`${write}.new`, write);
  }
  return (
    changes.map((change) => `${change}\n`).join('') +
    `${changes.length} changes since ${before.tables.publishedOn}; ${tlds} top-level domains: ` +
    `${rdap} with RDAP, ${whois} with port 43, ${unsupported} with neither` +
    `${write === undefined ? '; nothing written' : `; written to ${write}`}\n`
  );
}
