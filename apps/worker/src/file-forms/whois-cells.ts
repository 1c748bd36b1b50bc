import {
  FILE_CONTACTS,
  FILE_CONTACT_COLUMNS,
  FILE_DATES,
  FILE_PLACES,
  FILE_REGISTRAR_COLUMNS,
} from '#libs/contracts';

type Members = Readonly<Record<string, unknown>>;

/** Returns the cells of a row of `WHOIS_FILE_COLUMNS` that follow its number, name and time. */
export function whoisCells(record: Members): unknown[] {
  const registrar = (record.domain_registrar ?? {}) as Members;
  const cells: unknown[] = FILE_DATES.map((date) => record[date]);
  for (const [, member] of FILE_REGISTRAR_COLUMNS) cells.push(registrar[member]);
  for (const contact of FILE_CONTACTS) {
    const members = (record[`${contact}_contact`] ?? {}) as Members;
    for (const [, member] of FILE_CONTACT_COLUMNS) cells.push(members[member]);
  }
  for (const list of ['name_servers', 'domain_status']) {
    const values = (record[list] ?? []) as unknown[];
    for (const place of FILE_PLACES) cells.push(values[place - 1]);
  }
  return cells;
}
