import { describe, expect, it } from '@jest/globals';
import { blockedHost } from './block-list.js';

describe('a row of a block list about an address', () => {
  it.each([
    '"1","2024-01-01 10:00:00","http://192.0.2.1:8080/x","online","https://lists.example/url/1/"',
    '"2024-01-01","192.0.2.1:443","ip:port","https://news.example/report"',
    '192.0.2.1,2024-01-01,https://lists.example/192.0.2.1',
    'http://[2001:db8::1]/x,https://lists.example/2',
  ])('does not list the page that describes the address: %s', (line) => {
    expect(blockedHost(line)).toBe('nothing');
  });

  it('lists the name next to the address', () => {
    expect(blockedHost('192.0.2.1,bad.example,https://lists.example/3')).toMatchObject({
      name: 'bad.example',
    });
    expect(blockedHost('0.0.0.0 bad.example')).toMatchObject({ name: 'bad.example' });
  });
});
