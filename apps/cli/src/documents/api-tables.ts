import {
  type Operation,
  PROBLEM_STATUS,
  type Parameter,
  SCOPES,
  endpointOf,
  priceSentence,
  itemProblemsOf,
  problemsOf,
  listenerOf,
} from '#libs/contracts';

/**
 * Returns the document with the text between `<!-- name -->` and `<!-- /name -->` replaced by generated tables of those
 * operations that the API serves.
 * @throws Error if a section is missing.
 */
export function withApiTables(document: string, operations: readonly Operation[]): string {
  const served = operations.filter((row) => listenerOf(row) === 'api');
  const sections: Record<string, string> = {
    operations: operationTable(served),
    parameters: served.map(parameterSection).filter(Boolean).join('\n\n'),
    fixtures: served.map(fixtureSection).filter(Boolean).join('\n\n'),
    scopes: scopeTable(served),
    errors: errorTable(served),
  };
  let text = document;
  for (const [name, section] of Object.entries(sections)) {
    const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const [from, to] = [text.indexOf(start), text.indexOf(end)];
    if (from === -1 || to < from) throw new Error(`docs/api.md has no section ${name}`);
    text = `${text.slice(0, from + start.length)}\n\n${section}\n\n${text.slice(to)}`;
  }
  return text;
}

function operationTable(operations: readonly Operation[]): string {
  const rows = operations.flatMap((operation) =>
    operation.routes.map((route) => {
      const { successor } = route;
      const note = successor ? `; superseded by \`${successor}\`` : '';
      return [
        `\`${endpointOf(operation, route)}\``,
        operation.summary + note,
        accessOf(operation),
        priceSentence(operation).replace(/\.$/, ''),
      ];
    }),
  );
  return table(['endpoint', 'description', 'access', 'price'], rows);
}

function accessOf({ access }: Operation): string {
  return access.kind === 'key' ? `key, scope \`${access.scope}\`, class ${access.class}` : 'public';
}

function parameterSection(operation: Operation): string {
  const { parameters, routes, description } = operation;
  const names = Object.keys(parameters);
  if (names.length === 0 && !description) return '';
  const hasVersions = new Set(routes.map(({ version }) => version)).size > 1;
  const rows = names.map((name) => [
    `\`${name}\``,
    about(parameters[name]),
    parameters[name].isRequired || parameters[name].in === 'path'
      ? 'required'
      : fallbackOf(parameters[name]),
    ...(hasVersions ? [(parameters[name].since ?? 1) > 1 ? '2' : '1, 2'] : []),
  ]);
  const heads = ['parameter', 'value', 'default', ...(hasVersions ? ['versions'] : [])];
  const parts = [
    `### \`${endpointOf(operation)}\``,
    ...(description ? [description] : []),
    ...(operation.body ? [`JSON body: \`${JSON.stringify(operation.body.example)}\`.`] : []),
    ...itemText(operation),
    ...(rows.length > 0 ? [table(heads, rows)] : []),
  ];
  return parts.join('\n\n');
}

function itemText(operation: Operation): string[] {
  const codes = itemProblemsOf(operation);
  if (codes.length === 0) return [];
  const linked = codes.map((code) => `[${code}](errors/${code}.md)`).join(', ');
  return [
    `An item without an answer has \`"status": false\`, \`status_code\`, \`message\` and a \`code\`: ${linked}.`,
  ];
}

function about({ about: sentence, kind, synonyms = [], example }: Parameter): string {
  const { schema } = kind;
  const words = (schema.enum ?? (schema.items as { enum?: unknown } | undefined)?.enum) as
    string[] | undefined;
  const range =
    schema.type === 'integer' ? ` (${number(schema.minimum)} to ${number(schema.maximum)})` : '';
  const set = words ? `: ${words.map((word) => `\`${word}\``).join(', ')}` : '';
  const also = synonyms.map((name) => `\`${name}\` is a synonym`).join(', ');
  const shown = words || schema.type === 'boolean' ? '' : `. Example: \`${example}\``;
  return `${sentence}${range}${set}${also && `; ${also}`}${shown}`;
}

const number = (value: unknown) => Number(value).toLocaleString('en-US');

function fallbackOf({ default: fallback }: Parameter): string {
  return fallback === undefined ? '–' : `\`${String(fallback)}\``;
}

function fixtureSection(operation: Operation): string {
  const { fixtures } = operation;
  if (fixtures === undefined) return '';
  const rows = fixtures.map(({ value, answers }) => [`\`${value}\``, answers]);
  return table([`\`${endpointOf(operation)}\``, 'answer'], rows);
}

function scopeTable(operations: readonly Operation[]): string {
  const rows = SCOPES.flatMap((scope) => {
    const own = operations.filter(({ access }) => access.kind === 'key' && access.scope === scope);
    const names = own.map((operation) => `\`${endpointOf(operation)}\``).join(', ');
    return own.length === 0 ? [] : [[`\`${scope}\``, names]];
  });
  return table(['scope', 'allows'], rows);
}

function errorTable(operations: readonly Operation[]): string {
  const codes = new Set(operations.flatMap(problemsOf));
  const byStatus = Map.groupBy(codes, (code) => PROBLEM_STATUS[code]);
  const rows = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, own]) => [
      String(status),
      own.map((code) => `[${code}](errors/${code}.md)`).join(', '),
    ]);
  return table(['status', 'codes'], rows);
}

/** Aligns columns as Prettier does, so that no further formatting is needed. */
function table(heads: string[], rows: string[][]): string {
  const cells = [heads, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = heads.map((_head, place) =>
    Math.max(3, ...cells.map((row) => [...row[place]].length)),
  );
  const line = (row: string[]) =>
    `| ${row.map((cell, place) => cell + ' '.repeat(widths[place] - [...cell].length)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(cells[0]), rule, ...cells.slice(1).map(line)].join('\n');
}
