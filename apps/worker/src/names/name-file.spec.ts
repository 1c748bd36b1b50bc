import { Readable } from 'node:stream';
import { expect, it, jest } from '@jest/globals';
import { UPLOAD_LINES_MAX } from '#libs/contracts';
import { Turns } from '#libs/platform';
import { NameFile } from './name-file.js';

const BLANKS = Buffer.alloc(1024, '\n');

it('S71: a file of blank lines is rejected once it has twice as many lines as a file may have names', async () => {
  let read = 0;
  async function* blanks() {
    for (; read < 100; read++) yield BLANKS;
  }
  const file = new NameFile();
  expect(file.linesMax).toBe(UPLOAD_LINES_MAX);
  file.linesMax = 10_000;
  const rows = file.rows('list', Readable.from(blanks()));
  await expect(rows.next()).rejects.toMatchObject({ reason: 'too_many_lines' });
  expect(read * BLANKS.length).toBeLessThan(3 * file.linesMax);
});

it('S71: a text of more than 255 characters is no name, and is not read as one', async () => {
  const file = new NameFile();
  const lines = ['a.example', 'a'.repeat(255), 'a'.repeat(256)].join('\n');
  await Readable.from(file.rows('list', Readable.from([Buffer.from(lines)]))).toArray();
  expect([file.lines, file.invalid]).toEqual([3, 2]);
  const [read, unread] = file.invalidLines.map(({ message }) => message);
  expect(read).not.toContain('longer than 255');
  expect(unread).toBe('The text is longer than 255 characters.');
});

it('the names are in a column called domain, even if an earlier one is called name', async () => {
  const text = 'Name,E-mail,Domain\nAda,ada@b.example,a.example\n';
  const rows = new NameFile().rows('list', Readable.from([Buffer.from(text)]));
  expect((await Readable.from(rows).toArray()).join('')).toMatch(/^list\t2\ta\.example\t/);
});

it.each([
  ['a.example;12,50\nb.example;9,90\n', ['a.example', 'b.example']],
  ['a.example\tLovelace, Ada\n', ['a.example']],
  ['Domain;Price, EUR\na.example;12\n', ['a.example']],
  ['a list, for you; see below\na.example\n', ['a.example']],
])(
  'the cells of %j are separated by the delimiter that separates the names',
  async (text, names) => {
    const rows = new NameFile().rows('list', Readable.from([Buffer.from(text)]));
    const read = (await Readable.from(rows).toArray()).join('');
    expect([...read.matchAll(/\t([ab]\.example)\t/g)].map(([, name]) => name)).toEqual(names);
  },
);

it('S102: only the first hundred cells of the first row can contain the names', async () => {
  const fileOf = async (row: string) => {
    const file = new NameFile();
    const rows = await Readable.from(
      file.rows('list', Readable.from([Buffer.from(`${row}\na.example,b.example\n`)])),
    ).toArray();
    return [...rows.join('').matchAll(/[ab]\.example/g)].map(([name]) => name);
  };
  expect(await fileOf(',b.example')).toEqual(['b.example', 'b.example']);
  expect(await fileOf(`${'ǆ,'.repeat(99)}b.example`)).toEqual(['b.example']);
  expect(await fileOf(`${'ǆ,'.repeat(100)}b.example`)).toEqual(['a.example']);
});

it.each([
  ['many short lines', 'a.b\n'.repeat(10_000), 30],
  ['few long lines in quotation marks', `a.b,"${'x'.repeat(60_000)}"\n`.repeat(40), 10],
])('S102: other requests are answered while a chunk with %s is read', async (_, text, turnsMin) => {
  const rows = new NameFile().rows('list', Readable.from([Buffer.from(text)]));
  const spend = jest.spyOn(Turns.prototype, 'spend');
  await Readable.from(rows).toArray();
  expect(spend.mock.results.filter(({ value }) => value).length).toBeGreaterThan(turnsMin);
  spend.mockRestore();
});
