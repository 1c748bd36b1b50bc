import { describe, expect, it } from '@jest/globals';
import { readRdapNumber } from '../networks/rdap-number.js';
import { readJcard } from './cards/jcard.js';
import { readRdapAnswer } from './rdap-answer.js';
import { readRdapDomain } from './rdap-record.js';

describe('an answer of RDAP', () => {
  const about = { domain: 'a.example', role: 'registry', isAbsent: false } as const;

  it('that is half an object, or a list, is parse_failed', () => {
    for (const text of ['{"ldhName": "a.exam', '[]', '', 'null', '{"ldhName": "b.example"}']) {
      expect(readRdapAnswer(text, about)).toEqual({ outcome: 'parse_failed' });
    }
  });

  it('"not found" in a body nobody can read is parse_failed, not a free name', () => {
    expect(readRdapAnswer('{', { ...about, isAbsent: true })).toEqual({ outcome: 'parse_failed' });
    expect(readRdapAnswer('', { ...about, isAbsent: true })).toEqual({ outcome: 'not_registered' });
  });

  it('S64: two megabytes in one text are cut before they are worked on', () => {
    const size = 2 * 1024 * 1024;
    const long = ['\n', 'a\n', ' ', '\u202e', ';ext=', 'é'].map((piece) =>
      piece.repeat(size / piece.length),
    );
    for (const text of long) {
      const properties = ['fn', 'org', 'tel', 'email', 'n'].map((name) => [name, {}, 'text', text]);
      const address = ['adr', { label: text, cc: text }, 'text', [text, text, [text], text]];
      const before = process.threadCpuUsage();
      readJcard(['vcard', [...properties, address, ['org', {}, 'text', [[text], [[text]]]]]]);
      readRdapDomain(
        { ldhName: text, remarks: [{ description: text }], status: text },
        'a.example',
      );
      readRdapNumber({ handle: text, remarks: [{ description: text }], status: text }, 'autnum');
      const { user, system } = process.threadCpuUsage(before);
      expect((user + system) / 1000).toBeLessThan(50);
    }
  });
});
